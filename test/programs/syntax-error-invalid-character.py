# A typographic quote is no character of Python.
print(“hello”)
