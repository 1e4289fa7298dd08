# Non-daemon threads are waited for and all they print arrives, in the order that they make themselves.
import threading


def work(number, before):
    before.join()
    print("worker", number)


before = threading.main_thread()
for number in (1, 2, 3):
    before = threading.Thread(target=work, args=(number, before))
    before.start()
print("main is done")
