# sys.stdout.write returns the count, and text without a newline is not lost at the end.
import sys

count = sys.stdout.write("abc")
sys.stdout.write(f"|{count}|")
sys.stdout.writelines(["one", "two\n", "three"])
sys.stderr.write("half a line on stderr")
