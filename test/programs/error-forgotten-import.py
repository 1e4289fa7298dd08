# A name of the standard library that was not imported is hinted at since 3.12.
print(json.dumps({}))
