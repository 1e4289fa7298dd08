# breakpoint() shows the line and meets the end of stdin.
value = 41
breakpoint()
print("after")
