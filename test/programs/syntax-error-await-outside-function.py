# await at module level is refused.
print("never")
await something()
