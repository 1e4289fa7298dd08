# Safe-path mode is off, so that children find modules beside their script.
# requires: 3.11
import sys

print(sys.flags.safe_path)
