# Tracing, profiling, fault handler, memory tracing and threads of a debugger are off.
import faulthandler
import sys
import tracemalloc

print(sys.gettrace(), sys.getprofile(), faulthandler.is_enabled(), tracemalloc.is_tracing())
print(sys.get_asyncgen_hooks(), sys.get_coroutine_origin_tracking_depth(), sys.call_tracing(len, ((),)))
