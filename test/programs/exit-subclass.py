# A subclass of SystemExit ends the program quietly with its code.
class Stop(SystemExit):
    def __init__(self, reason):
        super().__init__(9)
        self.reason = reason


try:
    raise Stop("enough")
except Stop as stop:
    print("seen:", stop.reason, stop.code)
    raise
