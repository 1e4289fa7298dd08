# SystemExit with two arguments has the tuple as its code.
raise SystemExit("left", 4)
