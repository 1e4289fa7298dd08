# Log records name the process, the thread, the function and the line.
import logging
import os
import threading


class Show(logging.Handler):
    def emit(self, record):
        print(record.processName, record.threadName, record.funcName, record.lineno, record.module == record.filename[:-3])
        print(record.process == os.getpid(), record.pathname == __file__, record.thread == threading.get_ident())


def work():
    logging.warning("seen")


logging.root.addHandler(Show())
work()
reader = threading.Thread(target=work, name="reader")
reader.start()
reader.join()
