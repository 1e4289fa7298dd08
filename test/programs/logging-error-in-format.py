# A record that cannot be formatted is handed to the handler's handleError; the program goes on.
import logging

handler = logging.StreamHandler()
log = logging.getLogger("bad")
log.addHandler(handler)
log.propagate = False
handler.handleError = lambda record: print("could not format", record.msg, record.args)
log.warning("%d items", "no number")
print("end")
