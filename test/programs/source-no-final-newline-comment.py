# A comment may be the last thing, without a newline.
print("before")
# the end