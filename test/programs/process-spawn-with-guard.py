# A spawned process imports this file as __mp_main__ and calls the function; the guard protects it.
import multiprocessing

print("top level of", __name__)


def work(value):
    print("child got", value, "in", __name__)


if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=work, args=([1, 2],))
    process.start()
    process.join()
    print("exit code", process.exitcode)
