# A bytes literal takes ASCII only.
data = b"größe"
