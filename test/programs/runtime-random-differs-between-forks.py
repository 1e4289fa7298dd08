# Forked children draw numbers of their own.
import os
import random
import tempfile
import uuid

drawn = set()
for _ in range(2):
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, f"{random.random()} {uuid.uuid4()} {os.urandom(4).hex()}".encode())
        os._exit(0)
    os.wait()
    drawn.update(os.read(reader, 200).decode().split())
print(len(drawn), random.random() not in drawn, tempfile.mktemp() != tempfile.mktemp())
