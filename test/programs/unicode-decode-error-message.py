# Reading bytes that are no UTF-8 as text fails with the place and the reason.
with open("bytes.bin", "wb") as file:
    file.write(b"ok so far \xff")
with open("bytes.bin") as file:
    file.read()
