# The filters and options of a fresh program.
import sys
import warnings

for action, message, category, module, line in warnings.filters:
    print(action, message, category.__name__, module if isinstance(module, str) else module and module.pattern, line)
print(sys.warnoptions, "__warningregistry__" in globals())
