# A program that closes every descriptor above 2, as daemons do, is not disturbed.
import os
import sys

os.closerange(3, 4096)
print("still printing")
print("and on stderr", file=sys.stderr)
open("file.txt", "w").close()
sys.exit(5)
