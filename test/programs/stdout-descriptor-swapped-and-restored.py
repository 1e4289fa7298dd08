# os.dup2 over descriptor 1 catches output of children too, and the old stream comes back.
import os
import tempfile

with tempfile.TemporaryFile() as store:
    saved = os.dup(1)
    os.dup2(store.fileno(), 1)
    print("caught print")
    os.system("echo caught shell")
    os.dup2(saved, 1)
    os.close(saved)
    store.seek(0)
    print("restored;", store.read())
