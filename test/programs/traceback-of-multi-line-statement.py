# A statement over several lines is shown at the line that its version names.
def combine(*parts):
    return sum(parts)


total = combine(
    1,
    2,
    combine(
        3,
        "four",
    ),
)
