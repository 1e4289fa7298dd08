# A file with CRLF line ends runs, strings over lines hold plain newlines, the traceback is clean.
text = """one
two"""
print(repr(text))
if text:
    print("block")
value = 1 + \
    2
print(value)
raise ValueError("line 10")
