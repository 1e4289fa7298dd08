# Only the low eight bits survive: sys.exit(256) looks like success.
import sys

sys.exit(256)
