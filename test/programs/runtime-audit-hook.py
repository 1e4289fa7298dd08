# A program may add audit hooks; they see its own events.
import sys

events = []
sys.addaudithook(lambda name, args: events.append(name) if name.startswith("corpus.") else None)
sys.audit("corpus.one", 1)
sys.audit("corpus.two")
print(events)
