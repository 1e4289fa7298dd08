# The context of a fresh program holds no variables; changes stay in a copied context.
import contextvars

print(len(contextvars.copy_context()))
colour = contextvars.ContextVar("colour", default="none")
context = contextvars.copy_context()
context.run(colour.set, "red")
print(colour.get(), context[colour])
