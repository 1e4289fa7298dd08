# A line of fifty thousand characters arrives in one piece.
print("0123456789" * 5000 + "<end>")
