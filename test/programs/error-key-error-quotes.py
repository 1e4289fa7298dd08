# KeyError shows the repr of the key.
settings = {"user name": 1}
settings["user\tname"]
