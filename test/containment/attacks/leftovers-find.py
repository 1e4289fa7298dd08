# What the next run finds of what the one before has left.
MARK = PLACE["mark"]
TEMP = os.path.dirname(os.environ["TMPDIR"])


for folder in dict.fromkeys((TEMP, "/tmp", "/var/tmp", "/run", "/dev/shm", "/dev/mqueue")):

    @attempt(f"a file in {'the folder of temporary folders' if folder == TEMP else folder}")
    def _():
        return os.path.exists(f"{folder}/{MARK}")


@attempt("a daemon")
def _():
    # its variables and its name are those of the run that started it
    own = {os.getpid(), os.getppid(), 1}
    return any(PLACE["mark"] in text_of(f"/proc/{pid}/environ") for pid in all_processes() if pid not in own)


@attempt("a daemon with a name of its own")
def _():
    return first_that(lambda pid: text_of(f"/proc/{pid}/comm").strip() == MARK[:15], all_processes())


@attempt("an abstract socket")
def _():
    with socket.socket(socket.AF_UNIX) as visitor:
        visitor.connect("\0" + MARK)
        return True


@attempt("a port")
def _():
    with socket.create_connection(("127.0.0.1", PLACE["port"]), timeout=2):
        return True


@attempt("System V shared memory")
def _():
    return check(libc.shmget(PLACE["key"], 0, 0)) >= 0


@attempt("System V semaphores")
def _():
    return check(libc.semget(PLACE["key"], 0, 0)) >= 0


@attempt("System V messages")
def _():
    return check(libc.msgget(PLACE["key"], 0)) >= 0


@attempt("POSIX messages")
def _():
    return call(number_of(240, 180), MARK.encode(), os.O_RDWR, 0, None) >= 0


@attempt("a POSIX semaphore")
def _():
    return os.path.exists(f"/dev/shm/sem.{MARK}")


@attempt("a key of the kernel")
def _():
    return call(number_of(250, 219), 10, -4, b"user", MARK.encode(), 0) > 0


@attempt("a drop in the home folder")
def _():
    return os.path.exists(f"{PLACE['home']}/.config/{MARK}")


@attempt("the priority of the supervisor")
def _():
    return os.getpriority(os.PRIO_PROCESS, 0) == 7


@attempt("the processors of the supervisor")
def _():
    return len(os.sched_getaffinity(0)) < PLACE["processors"]


@attempt("the limits of the supervisor")
def _():
    import resource

    return 12345678 in resource.getrlimit(resource.RLIMIT_FSIZE)


@attempt("the priority for disks of the supervisor")
def _():
    return call(number_of(252, 31), 1, 0) == 3 << 13


@attempt("the modification of a module in the shared memory of the template")
def _():
    import builtins

    return hasattr(builtins, "planted") or "planted" in sys.modules
