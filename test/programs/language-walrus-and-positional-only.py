# Assignment expressions, positional-only parameters and f-string "=".
def area(width, /, height=2, *, scale=1):
    return width * height * scale


rows = ["a", "bb", "ccc"]
print([size for row in rows if (size := len(row)) > 1], size)
print(f"{area(3)=} {size!r:>4} {size = }")
area(width=1)
