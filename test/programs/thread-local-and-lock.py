# Thread locals are per thread; a lock keeps a counter right.
import threading

local = threading.local()
local.value = "main"
lock = threading.Lock()
total = 0
seen = []


def add():
    global total
    seen.append(hasattr(local, "value"))
    for _ in range(1000):
        with lock:
            total += 1


threads = [threading.Thread(target=add) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(total, local.value, seen)
