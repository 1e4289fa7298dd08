# No signal is blocked, pending or timed when the program starts.
import signal

print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])), sorted(signal.sigpending()))
print(signal.getitimer(signal.ITIMER_REAL), signal.getitimer(signal.ITIMER_VIRTUAL), signal.alarm(0))
print(signal.set_wakeup_fd(-1))
