# A limit that the program sets for itself holds: "too many open files" after what is left of it.
import os
import resource

hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (32, hard))
opened = []
try:
    while True:
        opened.append(os.open(os.devnull, os.O_RDONLY))
except OSError as error:
    print(error.strerror, len(opened), opened[0])
resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
