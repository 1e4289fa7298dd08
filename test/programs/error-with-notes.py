# Notes added to an exception follow its message.
# requires: 3.11
error = ValueError("bad row")
error.add_note("while reading row 3")
error.add_note("of the second\nsheet")
raise error
