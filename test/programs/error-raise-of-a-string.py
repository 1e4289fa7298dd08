# Raising what is no exception is a TypeError.
raise "just text"
