# print uses str() of each argument, and an error inside __str__ leaves the line half written.
class Fine:
    def __str__(self):
        return "str text"

    def __repr__(self):
        return "repr text"


class Broken:
    def __str__(self):
        raise LookupError("no text for you")


print(Fine(), [Fine()])
print("before", Broken(), "after")
