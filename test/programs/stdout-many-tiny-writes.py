# Five thousand writes of one character are joined without loss.
import sys

for number in range(5000):
    sys.stdout.write(chr(97 + number % 26))
sys.stdout.write("\n")
