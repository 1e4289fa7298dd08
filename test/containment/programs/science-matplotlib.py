import os

import matplotlib.pyplot

matplotlib.pyplot.plot([1, 2, 3])
matplotlib.pyplot.savefig("figure.png")
assert os.path.getsize("figure.png") > 1000
print("works")
