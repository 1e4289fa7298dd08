# A process that was not joined is waited for at exit, a daemonic one is ended.
import multiprocessing
import time


def patient(pipe):
    pipe.recv()
    print("child finished after main")


def endless():
    time.sleep(60)
    print("never")


context = multiprocessing.get_context("fork")
here, there = context.Pipe()
context.Process(target=endless, daemon=True).start()
context.Process(target=patient, args=(there,)).start()
print("main finished")
here.send("go")
