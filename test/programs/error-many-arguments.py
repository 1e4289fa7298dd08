# Wrong calls name the function and what is missing.
class Shape:
    def area(self, width, height, *, scale):
        return width * height * scale


for call in (lambda: Shape().area(1), lambda: Shape().area(1, 2), lambda: Shape.area(), lambda: print(end=1)):
    try:
        call()
    except TypeError as error:
        print(error)
Shape().area(1, 2, 3)
