# A coding cookie on a file of pure ASCII changes nothing.
# -*- coding: latin-1 -*-
print("ascii", len("caf\u00e9"))
raise ValueError("the traceback shows the line")
