import numpy

matrix = numpy.arange(250_000, dtype=float).reshape(500, 500)
assert numpy.allclose((matrix @ numpy.eye(500)), matrix)
numpy.save("matrix.npy", matrix)
assert numpy.array_equal(numpy.load("matrix.npy", mmap_mode="r"), matrix)
print("works")
