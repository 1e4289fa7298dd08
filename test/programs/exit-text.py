# sys.exit("text") writes the text and a newline to stderr and ends with 1.
import sys

print("out")
sys.exit("something \u00fcnusual: \u20ac5")
