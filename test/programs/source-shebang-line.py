#!/usr/bin/env python3
# A first line for the shell is a comment.
print("runs")
raise ValueError("line 4")
