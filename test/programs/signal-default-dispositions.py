# The handlers of a fresh Python program.
import signal

for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGPIPE", "SIGCHLD", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGXFSZ", "SIGTSTP", "SIGSEGV", "SIGCONT", "SIGWINCH"):
    handler = signal.getsignal(getattr(signal, name))
    print(name, getattr(handler, "name", None) or getattr(handler, "__name__", handler))
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
