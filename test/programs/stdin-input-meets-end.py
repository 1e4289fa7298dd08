# input() writes its prompt and raises EOFError.
name = input("name? ")
