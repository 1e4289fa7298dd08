# exit and quit exist as builtins, explain themselves, and exit(n) ends with n.
print(exit)
print(quit)
print(type(exit).__name__, copyright.__class__.__name__, license.__class__.__name__)
exit(13)
