# os.register_at_fork functions run around a fork.
import os

os.register_at_fork(
    before=lambda: print("before"),
    after_in_parent=lambda: print("in parent, child ended:", os.wait()[1]),
    after_in_child=lambda: print("in child"),
)
child = os.fork()
if child == 0:
    os._exit(0)
