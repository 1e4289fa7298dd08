# A block of shared memory is seen by a forked child and removed again.
from multiprocessing import get_context, shared_memory


def work(name):
    block = shared_memory.SharedMemory(name=name)
    block.buf[:5] = b"child"
    block.close()


block = shared_memory.SharedMemory(create=True, size=16)
try:
    process = get_context("fork").Process(target=work, args=(block.name,))
    process.start()
    process.join()
    print(process.exitcode, bytes(block.buf[:5]))
finally:
    block.close()
    block.unlink()
