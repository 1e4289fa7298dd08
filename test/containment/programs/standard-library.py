import bz2
import ctypes
import datetime
import faulthandler
import getpass
import gzip
import hashlib
import locale
import lzma
import mmap
import os
import platform
import random
import resource
import secrets
import signal
import socket
import ssl
import sys
import tempfile
import threading
import time
import uuid

assert ssl.create_default_context().get_ca_certs() is not None
assert getpass.getuser()
assert socket.gethostname() == platform.node()
assert os.cpu_count() and len(os.sched_getaffinity(0))
locale.setlocale(locale.LC_ALL, "C.UTF-8")
faulthandler.enable()

with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as file:
    file.write(b"x")
    with open(os.path.join(folder, "x"), "w") as other:
        other.write("x")

fired = []
signal.signal(signal.SIGALRM, lambda *_: fired.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.02)
time.sleep(0.2)
assert fired
signal.alarm(0)

soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 100), hard))
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

with open("/dev/stdout", "w") as output:
    output.write("")
with open("/dev/null", "w") as nothing:
    nothing.write("x")
with open("/dev/urandom", "rb") as numbers:
    assert len(numbers.read(8)) == 8

thread = threading.Thread(target=fired.append, args=(2,))
thread.start()
thread.join()
left, right = socket.socketpair()
left.send(b"x")
assert right.recv(1) == b"x"

memory = mmap.mmap(-1, 4096)
memory.write(b"x")
assert ctypes.CDLL(None).getpid() == os.getpid()
assert gzip.decompress(gzip.compress(b"x")) == bz2.decompress(bz2.compress(b"x")) == lzma.decompress(lzma.compress(b"x"))
assert hashlib.sha256(secrets.token_bytes(8)).hexdigest() and uuid.uuid4() and random.random() < 1
assert datetime.datetime.now(datetime.timezone.utc).year > 2000
os.makedirs("a/b", exist_ok=True)
os.chmod("a", 0o700)
os.utime("a")
os.symlink("a", "link")
os.rename("a", "c")
os.unlink("link")
os.removedirs("c/b")
os.nice(1)
os.sched_setaffinity(0, os.sched_getaffinity(0))
os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0))
assert sys.executable
print("works")
