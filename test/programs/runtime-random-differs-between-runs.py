# Unseeded random numbers, hashes of text and unique ids differ between two runs; seeded ones do not.
import random
import subprocess
import sys


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout


print(run("import random; print(random.random())") != run("import random; print(random.random())"))
print(run("print(hash('text'))") != run("print(hash('text'))"))
random.seed(42)
print(random.random(), random.sample(range(100), 5), random.choice("abc"))
