# With a limit of 0 only the last line is left.
import sys

sys.tracebacklimit = 0
raise ValueError("only this line")
