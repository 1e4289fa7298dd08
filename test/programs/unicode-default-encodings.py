# Every default encoding is UTF-8.
import locale
import sys

print(sys.getdefaultencoding(), sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())
print(locale.getpreferredencoding(False).lower(), locale.setlocale(locale.LC_CTYPE))
with open("text.txt", "w") as file:
    print(file.encoding.lower(), file.errors)
    file.write("\u20ac")
with open("text.txt", "rb") as file:
    print(file.read())
