# A keyword cannot be a name.
class = "first"
