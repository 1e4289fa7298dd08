# Without references the object is freed immediately, before the next line.
class Noisy:
    def __del__(self):
        print("freed")


thing = Noisy()
print("before del")
del thing
print("after del")
Noisy()
print("after temporary")
