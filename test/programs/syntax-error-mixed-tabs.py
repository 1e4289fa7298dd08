# TabError: tabs and spaces that cannot be compared.
if True:
        print("spaces")
	print("tab")
