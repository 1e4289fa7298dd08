# Marks under a line with wide characters and tabs are placed by the version's rule.
def outer():
	größe = {"名前": None}
	return "前置き" + größe["名前"]["姓"]


outer()
