# The decimal context has its defaults, and a change stays inside its block.
import decimal

context = decimal.getcontext()
print(context.prec, context.rounding, context.Emax, context.capitals, [flag.__name__ for flag, on in context.flags.items() if on])
print(sorted(trap.__name__ for trap, on in context.traps.items() if on))
with decimal.localcontext() as local:
    local.prec = 5
    print(decimal.Decimal(1) / 3)
print(decimal.Decimal(1) / 3)
