"""Where the proxy's interpreter starts: `python -I -S boot.py SOCKET RULES`, its standard input a pipe from the server.

SOCKET and RULES are explained in `main`. With `-I -S` nothing of the user's is loaded: no variables, no site-packages.
"""

import os
import sys

# After the standard library, so that nothing in the folder can stand in for one of its modules.
sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from py_executor_runtime.proxy.main import main

sys.exit(main(sys.argv[1:]))
