# A syntax error in a file with CRLF line ends shows a clean line.
print("never")
value = = 2
