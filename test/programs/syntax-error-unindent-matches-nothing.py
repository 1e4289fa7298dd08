# IndentationError: an unindent that fits no outer level.
def work():
        first = 1
    second = 2
