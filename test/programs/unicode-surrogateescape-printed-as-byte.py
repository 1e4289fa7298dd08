# In UTF-8 mode stdout turns an escaped surrogate back into its byte.
import os

name = os.fsdecode(b"file-\xff-name")
print(name)
print(ascii(name), os.fsencode(name))
