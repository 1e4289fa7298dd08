# A thousand lines arrive complete and in order.
for number in range(1000):
    print(f"line {number:04d} of a thousand")
