# An object held by a class attribute is freed at exit.
class Resource:
    def __del__(self):
        print("resource freed")


class Holder:
    resource = Resource()


print("last line")
