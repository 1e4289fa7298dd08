# sys.exit(300) is seen as 44.
import sys

sys.exit(300)
