# A caught EOFError lets the program go on; the prompt has no newline.
try:
    input("first? ")
except EOFError as error:
    print("|", error)
try:
    input()
except EOFError as error:
    print(repr(error))
