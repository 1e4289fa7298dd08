# A recursion of 900 calls fits into the default limit.
def depth(number):
    return 0 if number == 0 else 1 + depth(number - 1)


print(depth(900))
