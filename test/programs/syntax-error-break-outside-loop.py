# break without a loop.
if True:
    break
