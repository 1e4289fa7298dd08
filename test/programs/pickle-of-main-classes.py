# Classes of the program are pickled by reference to __main__ and come back as the same class.
import pickle


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    class Inner:
        pass


data = pickle.dumps([Point(1, 2), Point, Point.Inner], protocol=2)
point, same, inner = pickle.loads(data)
print(point.x, point.y, same is Point, inner is Point.Inner, b"__main__" in data)
pickle.dumps(lambda: 1)
