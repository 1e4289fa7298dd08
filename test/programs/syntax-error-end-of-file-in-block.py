# A block without a body at the end of the file.
def work():
