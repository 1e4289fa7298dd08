# A usage error of argparse goes to stderr and ends with 2.
import argparse

parser = argparse.ArgumentParser(prog="tool")
parser.add_argument("--count", type=int)
print(parser.parse_args([]))
parser.parse_args(["--count", "many"])
