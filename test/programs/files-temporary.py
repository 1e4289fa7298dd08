# tempfile makes files and folders that can be written, read, seeked and are removed.
import os
import tempfile

with tempfile.TemporaryFile("w+") as file:
    file.write("text")
    file.seek(0)
    print(file.read())
with tempfile.NamedTemporaryFile(suffix=".txt") as named:
    print(os.path.exists(named.name), named.name.endswith(".txt"), os.path.dirname(named.name) == tempfile.gettempdir())
print(os.path.exists(named.name))
with tempfile.TemporaryDirectory() as folder:
    open(os.path.join(folder, "x"), "w").close()
    print(os.listdir(folder))
print(os.path.isdir(folder), os.access(tempfile.gettempdir(), os.W_OK))
