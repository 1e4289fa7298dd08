# The site module ran: its builtins and prefix are there.
import site
import sys

print("site" in sys.modules, site.ENABLE_USER_SITE, sys.prefix == sys.base_prefix, sys.prefix == site.PREFIXES[0])
print(any(path.endswith("site-packages") for path in sys.path), hasattr(sys, "real_prefix"))
