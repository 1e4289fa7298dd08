# Code compiled inside the program inherits its own future flags only.
namespace = {}
exec("def f(x: 1 + 1): pass", namespace)
print(namespace["f"].__annotations__)
print(compile("1", "x", "eval").co_flags & 0x1000000, eval("1 / 2"))
