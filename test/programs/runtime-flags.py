# The flags of "python -u": none is set but UTF-8 mode and hash randomisation.
import sys

for name in ("debug", "inspect", "interactive", "optimize", "dont_write_bytecode", "no_user_site", "no_site", "ignore_environment", "verbose", "bytes_warning", "quiet", "hash_randomization", "isolated", "dev_mode", "utf8_mode"):
    print(name, getattr(sys.flags, name))
print(sys.warnoptions, sys._xoptions, sys.dont_write_bytecode, sys.pycache_prefix)
