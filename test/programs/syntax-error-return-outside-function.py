# return at module level is refused when compiling.
print("never")
return 5
