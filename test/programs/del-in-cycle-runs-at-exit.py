# Objects in a reference cycle are collected at exit.
class Node:
    def __init__(self, name):
        self.name = name
        self.self = self

    def __del__(self):
        print("del", self.name)


node = Node("in a cycle")
del node
print("last line")
