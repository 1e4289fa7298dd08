"""Times the second call in a notebook kernel over its own client: seconds a call, one a line."""

import sys
import time

from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel(kernel_name="python3")
try:
    client.execute_interactive("x = 40", timeout=30, output_hook=lambda _message: None)
    for _ in range(int(sys.argv[1])):
        started_at = time.perf_counter()
        client.execute_interactive("print(x)", timeout=30, output_hook=lambda _message: None)
        print(time.perf_counter() - started_at, flush=True)
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
