# Annotations of module variables are collected, values or not.
count: int = 3
name: "str"
table: dict[str, list] = {}
print(__annotations__)
