# A failing assert shows its line and message; asserts are on.
print(__debug__)
rows = [1, 2]
assert len(rows) == 3, f"expected 3 rows, got {len(rows)}"
