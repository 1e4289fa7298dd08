# sys.displayhook works when called, and code compiled as "single" uses it.
import builtins
import sys

sys.displayhook(41 + 1)
print(builtins._)
exec(compile("'single mode'", "<s>", "single"))
exec(compile("'exec mode'", "<s>", "exec"))
sys.displayhook(None)
print(builtins._)
