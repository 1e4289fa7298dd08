# A forked process sees the parent's state and cannot change it.
import multiprocessing

state = {"value": 1}


def work():
    state["value"] += 1
    print("child sees", state)


context = multiprocessing.get_context("fork")
state["value"] = 10
process = context.Process(target=work)
process.start()
process.join()
print("parent has", state)
