# raise SystemExit behaves as sys.exit does, as a class as well as an instance.
print("leaving")
raise SystemExit
