# An error in eval is shown at <string>.
def compute(expression):
    return eval(expression, {"zero": 0})


compute("1 + 2 / zero")
