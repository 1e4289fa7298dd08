# except* takes groups apart; what is left over ends the program.
# requires: 3.11
try:
    raise ExceptionGroup("several", [ValueError("v"), KeyError("k"), OSError("o")])
except* ValueError as group:
    print("values", group.exceptions)
except* KeyError as group:
    print("keys", group.exceptions)
