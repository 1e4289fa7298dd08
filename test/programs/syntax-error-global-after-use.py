# A name is used before its global statement.
def work():
    total = 1
    global total
