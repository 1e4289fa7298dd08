# Text beyond ASCII in the source itself is read as UTF-8: names, strings and comments. ☃
größe = "Grüße, 世界 🚀"
print(größe, len(größe))
print("ﬁ".encode("unicode_escape").decode(), len("é"))
ﬁ = 1  # the ligature is normalised to the two letters
print(fi, sorted(name for name in globals() if not name.startswith("_")))
