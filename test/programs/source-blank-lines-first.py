


# The first statement may stand after many blank lines; line numbers count them.

raise ValueError("line 6")
