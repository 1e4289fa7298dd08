# An error in a class body names the class.
class Settings:
    size = 10
    ratio = size / 0
