# Escape and other control characters inside strings of the source are kept.
print("[0m", repr(""))
raise ValueError("bell  in the source line")
