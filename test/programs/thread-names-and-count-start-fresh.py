# The main thread is the only one, and names of new ones count from 1.
import threading

print(threading.active_count(), threading.current_thread().name, threading.main_thread() is threading.current_thread())
print(threading.current_thread().daemon, threading.main_thread().is_alive(), threading.main_thread().ident == threading.get_ident())
first, second = threading.Thread(), threading.Thread(target=print)
print(first.name, second.name, threading.stack_size())
