# The print statement of Python 2.
print "hello"
