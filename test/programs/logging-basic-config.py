# logging.basicConfig takes effect, as it is the first configuration of the process.
import logging
import sys

logging.basicConfig(level=logging.DEBUG, format="%(levelname)s:%(name)s:%(funcName)s:%(lineno)d %(message)s")
logging.debug("root")


def work():
    logging.getLogger("a.b").info("inside")


work()
logging.basicConfig(stream=sys.stdout)
logging.warning("the second configuration is ignored")
logging.getLogger("a").setLevel(logging.ERROR)
logging.getLogger("a.b").warning("hidden")
