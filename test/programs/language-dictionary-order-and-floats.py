# Dictionaries keep their order; floats print by their shortest text.
print({"z": 1, "a": 2, **{"m": 3}}, 0.1 + 0.2, 1e22, 1e16, float("nan"), -0.0, 10**20)
print(round(2.5), round(-3.5), 7 // -2, 7 % -2, divmod(-7, 2), 2**100, 1 / 3)
print(f"{1234567.891:,.2f} {255:#x} {0.000012345:.3e} {'x':^5}|")
