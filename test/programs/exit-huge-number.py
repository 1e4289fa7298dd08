# A number beyond a C long ends as 255, without a message.
import sys

sys.exit(2**70)
