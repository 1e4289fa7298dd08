# logging.shutdown runs at exit: a buffering handler writes its records then.
import logging
import logging.handlers
import sys

target = logging.StreamHandler(sys.stdout)
log = logging.getLogger("buffered")
log.addHandler(logging.handlers.MemoryHandler(100, target=target))
log.warning("kept until the end")
print("last line")
