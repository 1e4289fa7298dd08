for path in ("/tmp/x", "/var/tmp/x", "/dev/shm/x"):
    with open(path, "w") as file:
        file.write("x")
print("works")
