# File locks and memory maps work.
import fcntl
import mmap

with open("locked", "w+b") as file:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    file.write(b"0123456789")
    file.flush()
    with mmap.mmap(file.fileno(), 0) as view:
        view[2:4] = b"ab"
        print(bytes(view), view.find(b"b"))
