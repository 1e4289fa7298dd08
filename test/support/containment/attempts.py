# The beginning of every program in test/containment/attacks: `PLACE`, what the test says of its surroundings, and `attempt`.
import ctypes, errno, json, os, signal, socket, stat, struct, subprocess, sys, time

PLACE = json.loads(PLACE_TEXT)
OUTCOMES = {}
#: How an attack ends that was refused. Anything else that is raised is a fault of the test.
REFUSED = (OSError, subprocess.SubprocessError)
SECONDS = 8

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def attempt(name, needs_root=False, may_lack=False):
    """Tries an attack at once, in a process of its own: the decorated function tells whether it went through.

    Args:
        name: what the test calls it.
        needs_root: whether it can't succeed for another user.
        may_lack: whether the machine may be without what it needs, so that it fails where nothing is contained.
    """

    def run(function):
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            signal.alarm(SECONDS)
            try:
                outcome = "done" if function() else "refused: without effect"
            except REFUSED as error:
                outcome = f"refused: {error}"
            except BaseException as error:
                outcome = f"broken: {type(error).__name__}: {error}"
            os.write(writing, outcome.encode()[:2000])
            os._exit(0)
        os.close(writing)
        outcome = os.read(reading, 4096).decode()
        os.close(reading)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if not outcome:
            killed = status in (-signal.SIGKILL, -signal.SIGSYS)
            outcome = f"{'refused' if killed else 'broken'}: ended with {status}"
        is_beyond = (needs_root and os.geteuid() != 0) or may_lack
        OUTCOMES[name] = outcome.replace("refused", "beyond", 1) if is_beyond else outcome
        return function

    return run


def report():
    """Tells the test; the last line of every attack."""
    print("OUTCOMES", json.dumps(OUTCOMES), flush=True)


def call(number, *arguments):
    """A system call by its number; raises OSError."""
    passed = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result = libc.syscall(ctypes.c_long(number), *passed)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def check(result):
    """Raises what a C function reports by -1."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def number_of(on_x86_64, on_aarch64=None):
    """A number of a system call on this machine; the newer ones are the same on both."""
    if on_aarch64 is None or os.uname().machine == "x86_64":
        return on_x86_64
    return on_aarch64


def text_of(path):
    """The beginning of a file."""
    with open(path, "rb") as file:
        return file.read(65536).decode(errors="replace")


def holds_secret(path):
    """Whether a file can be read, and is the one that was planted."""
    return PLACE["secret"] in text_of(path)


def all_processes():
    """Every process id that can be seen."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def first_that(function, values):
    """Whether a function says yes to any of the values; a refusal of one is not the end."""
    for value in values:
        try:
            if function(value):
                return True
        except REFUSED:
            pass
    return False
