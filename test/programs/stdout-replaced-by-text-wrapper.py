# A TextIOWrapper of one's own around the buffer becomes sys.stdout and is flushed at exit.
import io
import sys

sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-16-le", newline="\r\n")
print("utf-16 text")
sys.stdout.write("no newline, no flush")
