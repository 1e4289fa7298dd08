# typing.get_type_hints resolves names in the program's globals.
import dataclasses
import typing


@dataclasses.dataclass
class Node:
    value: int
    next: "typing.Optional[Node]" = None


def link(nodes: "list[Node]", by: typing.Union[int, str] = 0) -> "Node":
    return nodes[0]


print(typing.get_type_hints(Node)["next"], [field.type for field in dataclasses.fields(Node)][1])
print({name: str(hint) for name, hint in typing.get_type_hints(link).items()})
