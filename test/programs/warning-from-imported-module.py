# A DeprecationWarning of a module that is not the program stays silent, a UserWarning shows.
with open("oldhelper.py", "w") as file:
    file.write("import warnings\n\ndef act():\n    warnings.warn('dep', DeprecationWarning)\n    warnings.warn('user')\n")
import os
import warnings

import oldhelper

warnings.formatwarning = lambda message, category, path, *rest: f"{os.path.basename(path)} {category.__name__} {message}\n"
oldhelper.act()
print("end")
