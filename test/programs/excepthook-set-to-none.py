# A hook that cannot be called counts as a failing hook.
import sys

sys.excepthook = None
raise ValueError("original")
