# Blocks indented by tabs, tabs between tokens and inside strings.
def work(value):
	if value:
		return	"tab	here"


print(repr(work(1)))


def fail():
		raise	ValueError("tabs in this line")


fail()
