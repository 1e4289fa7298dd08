# stdout and stderr are pipes: not seekable, no terminal, without a width.
import os
import stat
import sys

for number in (1, 2):
    print(stat.S_ISFIFO(os.fstat(number).st_mode), os.isatty(number), os.get_blocking(number))
print(sys.stdout.seekable(), sys.stderr.seekable())
try:
    os.get_terminal_size(1)
except OSError as error:
    print(error.strerror)
