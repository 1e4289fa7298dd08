# Several statements a line, backslashes and brackets over lines.
a = 1; b = 2; print(a, b)
total = a + \
    b
print(
    total
    ,  # a comment inside

    "end"
)
if a: print("one line"); print("two statements")
