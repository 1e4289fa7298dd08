# The thread object of the main thread knows the process's own id as its native id.
import os
import threading

print(threading.main_thread().native_id == os.getpid(), threading.main_thread().ident == threading.get_ident())
