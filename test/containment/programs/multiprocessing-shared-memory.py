import multiprocessing
from multiprocessing import shared_memory


def write(name):
    memory = shared_memory.SharedMemory(name=name)
    memory.buf[:5] = b"child"
    memory.close()


memory = shared_memory.SharedMemory(create=True, size=1 << 20)
process = multiprocessing.Process(target=write, args=(memory.name,))
process.start()
process.join()
assert bytes(memory.buf[:5]) == b"child"
memory.close()
memory.unlink()
print("works")
