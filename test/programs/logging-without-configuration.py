# Without configuration only warnings and worse appear, bare, on stderr.
import logging

logging.getLogger().handlers and print("there are handlers already")
log = logging.getLogger("app")
log.info("not shown")
log.warning("shown on stderr")
log.error("with %s and %d", "text", 5)
try:
    1 / 0
except ZeroDivisionError:
    log.exception("failed")
print(log.getEffectiveLevel(), logging.root.handlers, logging.lastResort.level)
