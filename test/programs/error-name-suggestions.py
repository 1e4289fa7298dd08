# Misspelt names get a suggestion where the version gives one, computed when the traceback is printed.
import collections


class Basket:
    def __init__(self):
        self.apples = 3


try:
    collections.OrderedDcit
except AttributeError as error:
    print(error)
counter = 5
try:
    Basket().aples
except AttributeError:
    print(contuer)
