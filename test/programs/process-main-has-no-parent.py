# The program is multiprocessing's main process, not a child of something.
import multiprocessing

process = multiprocessing.current_process()
print(process.name, process.daemon, process.exitcode, multiprocessing.parent_process(), process.is_alive())
print(type(process).__name__, len(process.authkey), multiprocessing.active_children())
