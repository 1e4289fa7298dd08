# A file that was never closed or flushed has its text on disk once its object is freed at exit.
import os

_file = open("notes.txt", "w")
_file.write("never flushed by hand")
print("size before exit:", os.path.getsize("notes.txt"))


class Reader:
    def __del__(self, open=os.open, read=os.read, print=print):
        print("at exit:", read(open("notes.txt", os.O_RDONLY), 100))


reader = Reader()
