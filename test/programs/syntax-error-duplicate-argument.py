# The same parameter twice.
def area(width, height, width):
    return width
