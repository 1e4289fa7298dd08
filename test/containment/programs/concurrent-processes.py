from concurrent.futures import ProcessPoolExecutor


def square(number):
    return number * number


with ProcessPoolExecutor(2) as pool:
    assert list(pool.map(square, range(5))) == [0, 1, 4, 9, 16]
print("works")
