# The circular import of a name is explained in the message.
for name, other in (("knot_a", "knot_b"), ("knot_b", "knot_a")):
    with open(name + ".py", "w") as file:
        file.write(f"from {other} import value\nvalue = '{name}'\n")
try:
    import knot_a
except ImportError as error:
    text = str(error)
    print(text[: text.index("(")], "circular import" in text)
