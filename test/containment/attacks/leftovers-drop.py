# What a run might leave for the next one in the same place: each attempt says whether it could be left at all.
TEMP = os.path.dirname(os.environ["TMPDIR"])
MARK = PLACE["mark"]
SUPERVISOR = os.getppid()
os.chdir(PLACE["workspace"])


def left(path):
    with open(path, "w") as file:
        file.write(MARK)
    return True


def daemon(function):
    """Runs a function in a process that has left the run's session and parents, until it is killed."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            try:
                function()
                os.write(writing, b"ready")
            finally:
                os.close(writing)
            time.sleep(60)
        os._exit(0)
    os.close(writing)
    return os.read(reading, 10) == b"ready"


for folder in dict.fromkeys((TEMP, "/tmp", "/var/tmp", "/run", "/dev/shm", "/dev/mqueue")):

    @attempt(f"a file in {'the folder of temporary folders' if folder == TEMP else folder}")
    def _():
        return left(f"{folder}/{MARK}")


@attempt("a daemon")
def _():
    return daemon(lambda: None)


@attempt("a daemon with a name of its own")
def _():
    return daemon(lambda: libc.prctl(15, MARK[:15].encode(), 0, 0, 0))


@attempt("an abstract socket")
def _():
    def listen():
        global listener
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("\0" + MARK)
        listener.listen()

    return daemon(listen)


@attempt("a port")
def _():
    def listen():
        global listener
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", PLACE["port"]))
        listener.listen()

    return daemon(listen)


@attempt("System V shared memory")
def _():
    return check(libc.shmget(PLACE["key"], 4096, 0o1600)) >= 0


@attempt("System V semaphores")
def _():
    return check(libc.semget(PLACE["key"], 1, 0o1600)) >= 0


@attempt("System V messages")
def _():
    return check(libc.msgget(PLACE["key"], 0o1600)) >= 0


@attempt("POSIX messages")
def _():
    return call(number_of(240, 180), MARK.encode(), os.O_CREAT | os.O_RDWR, 0o600, None) >= 0


@attempt("a POSIX semaphore")
def _():
    return left(f"/dev/shm/sem.{MARK}")


@attempt("a key of the kernel")
def _():
    return call(number_of(248, 217), b"user", MARK.encode(), b"x", 1, -4) > 0


@attempt("a drop in the home folder")
def _():
    return left(f"{PLACE['home']}/.config/{MARK}")


@attempt("the priority of the supervisor")
def _():
    os.setpriority(os.PRIO_PROCESS, SUPERVISOR, 7)
    return True


@attempt("the processors of the supervisor")
def _():
    os.sched_setaffinity(SUPERVISOR, {min(os.sched_getaffinity(0))})
    return True


@attempt("the limits of the supervisor")
def _():
    import resource

    resource.prlimit(SUPERVISOR, resource.RLIMIT_FSIZE, (12345678, 12345678))
    return True


@attempt("the priority for disks of the supervisor")
def _():
    return call(number_of(251, 30), 1, SUPERVISOR, 3 << 13) == 0


@attempt("the modification of a module in the shared memory of the template")
def _():
    import builtins

    builtins.planted = MARK
    sys.modules["planted"] = sys
    return True
