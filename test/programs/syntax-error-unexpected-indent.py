# IndentationError: a line is indented without reason.
print("never")
    print("too far right")
