# The collector is on, with the version's thresholds, and nothing was found uncollectable.
import gc

print(gc.isenabled(), gc.get_threshold(), gc.get_debug(), gc.garbage, gc.callbacks)


class Node:
    pass


gc.collect()
for _ in range(3):
    node = Node()
    node.self = node
del node
print(gc.collect())
