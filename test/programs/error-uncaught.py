# An uncaught exception prints its traceback to stderr and ends with 1.
print("before")
raise ValueError("the message")
