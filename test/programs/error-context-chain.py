# An error while handling another prints both with the during-handling line.
def recover(key):
    return {}[key]


try:
    1 / 0
except ZeroDivisionError:
    recover("spare")
