# A byte-order mark further on is an invalid character.
print("never")
﻿print("x")
