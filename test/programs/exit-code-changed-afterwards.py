# The code attribute counts, not the arguments.
try:
    raise SystemExit(3)
except SystemExit as stop:
    stop.code = 6
    raise
