# input() reads from whatever sys.stdin is.
import io
import sys

sys.stdin = io.StringIO("first line\nsecond line")
print(input("? "))
print(input(), repr(sys.stdin.read()))
input("end? ")
