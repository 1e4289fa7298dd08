import os
import pty
import sys

leader, follower = pty.openpty()
assert os.isatty(follower) and os.ttyname(follower).startswith("/dev/pts/")
pid, terminal = pty.fork()
if pid == 0:
    print("typed", flush=True)
    os._exit(0)
assert os.read(terminal, 100).strip() == b"typed"
os.waitpid(pid, 0)
assert not os.isatty(sys.stdin.fileno())
print("works")
