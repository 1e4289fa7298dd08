# getpass finds no terminal, warns, and meets the end of stdin.
import getpass

try:
    getpass.getpass("secret: ")
except EOFError as error:
    print(repr(error))
