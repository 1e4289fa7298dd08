# A pool of spawned workers finds the program's functions and classes.
import multiprocessing


class Row:
    def __init__(self, value):
        self.value = value


def enlarge(row):
    return Row(row.value + 100)


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print([row.value for row in pool.map(enlarge, [Row(1), Row(2)])])
