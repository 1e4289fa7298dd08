# A relative import in the program itself has no package to start from.
from . import sibling
