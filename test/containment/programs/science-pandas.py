import pandas

frame = pandas.DataFrame({"group": ["a", "b", "a"], "value": [1.0, 2.0, 3.0]})
frame.to_csv("frame.csv", index=False)
assert pandas.read_csv("frame.csv").groupby("group")["value"].sum().to_dict() == {"a": 4.0, "b": 2.0}
print("works")
