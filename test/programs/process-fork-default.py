# multiprocessing.Process by the default start method: output order, names and exit codes.
import multiprocessing
import sys


def work(value):
    print("child", value, multiprocessing.current_process().name, __name__)
    sys.exit(value)


for value in (0, 3):
    process = multiprocessing.Process(target=work, args=(value,))
    process.start()
    process.join()
    print("exit code", process.exitcode)
print(multiprocessing.get_start_method(), multiprocessing.current_process().name, multiprocessing.active_children())
