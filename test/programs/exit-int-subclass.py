# An int subclass counts as a number, here an IntEnum member.
import enum
import sys


class Code(enum.IntEnum):
    PARTIAL = 23


sys.exit(Code.PARTIAL)
