# Structural pattern matching.
# requires: 3.10
import dataclasses


@dataclasses.dataclass
class Point:
    x: int
    y: int


def describe(value):
    match value:
        case Point(x=0, y=y):
            return f"on the axis at {y}"
        case [first, *rest] if rest:
            return f"{first} and {len(rest)} more"
        case {"kind": "a" | "b" as kind, **others}:
            return f"{kind} {others}"
        case str() | bytes():
            return "text"
        case _:
            return "anything"


for value in (Point(0, 3), [1, 2, 3], [1], {"kind": "b", "n": 1}, "s", None):
    print(describe(value))
