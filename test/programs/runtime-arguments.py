# There are no arguments: one element in sys.argv, and an option parser sees nothing.
import argparse
import sys

print(len(sys.argv), sys.argv[1:], sys.argv[0] == __file__)
parser = argparse.ArgumentParser(prog="x")
parser.add_argument("words", nargs="*")
print(parser.parse_args())
