# type aliases and type parameters.
# requires: 3.12
type Pair[T] = tuple[T, T]


def first[T](pair: Pair[T]) -> T:
    return pair[0]


class Box[T]:
    def __init__(self, value: T):
        self.value = value


print(Pair, Pair.__type_params__, first((1, 2)), Box[int](3).value, first.__type_params__)
