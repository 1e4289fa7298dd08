# Spawning without the guard fails in the child with Python's advice, and the parent goes on.
import multiprocessing
import os
import tempfile

if __name__ == "__main__":
    caught, saved = tempfile.TemporaryFile(), os.dup(2)
    os.dup2(caught.fileno(), 2)
process = multiprocessing.get_context("spawn").Process(target=print, args=("never",))
process.start()
process.join()
os.dup2(saved, 2)
caught.seek(0)
text = caught.read().decode()
print(text[text.index("RuntimeError") :])
print("exit code", process.exitcode)
