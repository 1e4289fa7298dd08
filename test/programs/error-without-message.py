# An exception without arguments shows its name only; one of a module shows the module too.
import decimal

try:
    raise LookupError
except LookupError:
    decimal.Decimal("no number")
