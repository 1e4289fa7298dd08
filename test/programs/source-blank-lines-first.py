# Statements may stand after many blank lines; the line numbers count them.





raise ValueError("line 7")
