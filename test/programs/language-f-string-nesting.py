# Since 3.12 f-strings may hold the same quotes, backslashes and comments.
# requires: 3.12
names = ["a", "b"]
print(f"{", ".join(names)} {"\n".join(names)!r} {f"{f"{1 + 1}"}"}")
print(
    f"{
        len(names)  # how many
        :>5}"
)
