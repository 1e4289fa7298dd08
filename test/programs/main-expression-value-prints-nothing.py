# Bare expressions have no output: this is not a prompt, and the last value is dropped.
1 + 1
"a string"
None
print("only this")
[1, 2, 3]
