# A long line is printed whole; the marks below it are those of the version.
table = {"rows": [{"cells": [1, 2, 3]}]}
print("start")
value = table["rows"][0]["cells"][1] + table["rows"][0]["cells"][2] + table["rows"][0]["cells"][3] + 1000000
