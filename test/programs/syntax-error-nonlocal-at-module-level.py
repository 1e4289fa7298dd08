# nonlocal has no meaning at module level.
nonlocal total
