# An uncaught error in a process is printed with the process's name; its exit code is 1.
import multiprocessing


def fail(value):
    return 1 / value


if __name__ == "__main__":
    process = multiprocessing.get_context("fork").Process(target=fail, args=(0,))
    process.start()
    process.join()
    print(process.exitcode)
