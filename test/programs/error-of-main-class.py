# A class of the program is named without __main__ in the last line.
class Outer:
    class Trouble(Exception):
        pass


raise Outer.Trouble("nested name", 2)
