# Compiled code shows the file name it was given; a name of no file has no source line.
code = compile("\n\ndef fail():\n    return missing\n", "<generated>", "exec")
namespace = {}
exec(code, namespace)
print(namespace["fail"].__code__.co_filename, namespace["fail"].__code__.co_firstlineno)
namespace["fail"]()
