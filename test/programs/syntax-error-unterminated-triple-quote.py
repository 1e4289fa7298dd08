# A triple-quoted string that never ends.
text = """
one
two
