# Code given to exec as text has no source lines in the traceback.
code = "def fail():\n    raise ValueError('inside exec')\n\nfail()\n"
exec(code)
