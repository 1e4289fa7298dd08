# Dataclasses, enums and named tuples of the program: repr, equality, copy and pickle.
import collections
import copy
import dataclasses
import enum
import pickle


@dataclasses.dataclass(order=True)
class Item:
    name: str
    price: float = 1.5
    tags: list = dataclasses.field(default_factory=list)


class Colour(enum.Enum):
    RED = 1
    BLUE = "b"


Pair = collections.namedtuple("Pair", "left right")
item = Item("tea", tags=["hot"])
print(item, dataclasses.asdict(item), copy.deepcopy(item) == item, pickle.loads(pickle.dumps(item)))
print(Colour.RED, repr(Colour("b")), pickle.loads(pickle.dumps(Colour.RED)) is Colour.RED, list(Colour))
print(Pair(1, 2), pickle.loads(pickle.dumps(Pair(3, 4))), Pair.__module__, Item.__module__)
