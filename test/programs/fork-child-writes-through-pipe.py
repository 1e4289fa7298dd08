# Data goes through a pipe made before the fork; the parent reads to its end.
import os

reader, writer = os.pipe()
child = os.fork()
if child == 0:
    os.close(reader)
    with open(writer, "w") as pipe:
        pipe.write("x" * 70000 + "end")
    os._exit(0)
os.close(writer)
with open(reader) as pipe:
    text = pipe.read()
print(len(text), text[-3:], os.waitpid(child, 0)[1])
