# code.interact reads nothing from stdin and returns.
import code

code.interact(banner="a console", exitmsg="bye", local={"x": 1})
print("after")
