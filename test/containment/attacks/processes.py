# Ways to see, stop, change or read processes that are not the run's own: the server and all that it has started.
OTHERS = [pid for pid in PLACE["family"] if pid not in (os.getpid(), os.getppid())]
SERVER = PLACE["server"]
os.chdir(PLACE["workspace"])


def each(function):
    return first_that(function, OTHERS)


@attempt("seeing them in the list of processes")
def _():
    return any(pid in OTHERS for pid in all_processes())


@attempt("their command lines")
def _():
    return each(lambda pid: text_of(f"/proc/{pid}/cmdline"))


@attempt("any process that isn't the run's own")
def _():
    return any(b"cli.js" in open(f"/proc/{pid}/cmdline", "rb").read() for pid in all_processes())


@attempt("a signal without effect")
def _():
    return each(lambda pid: os.kill(pid, 0) is None)


@attempt("a signal")
def _():
    return each(lambda pid: os.kill(pid, signal.SIGURG) is None)


@attempt("a signal to a group of processes")
def _():
    return each(lambda pid: os.killpg(pid, 0) is None)


@attempt("a signal to a thread")
def _():
    return each(lambda pid: call(number_of(234, 131), pid, pid, signal.SIGURG) == 0)


@attempt("a signal with a value")
def _():
    info = struct.pack("iii", signal.SIGURG, 0, -1) + bytes(116)
    return each(lambda pid: call(number_of(129, 138), pid, signal.SIGURG, info) == 0)


@attempt("a signal by a descriptor of the process")
def _():
    def send(pid):
        signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGURG)
        return True

    return each(send)


@attempt("tracing it")
def _():
    def trace(pid):
        check(libc.ptrace(0x4206, pid, 0, 0))  # PTRACE_SEIZE doesn't stop it
        libc.ptrace(17, pid, 0, 0)
        return True

    return each(trace)


@attempt("reading its memory, by a system call")
def _():
    def read(pid):
        address = int(text_of(f"/proc/{pid}/maps").split("-")[0], 16)
        buffer = ctypes.create_string_buffer(16)
        local = struct.pack("QQ", ctypes.addressof(buffer), 16)
        remote = struct.pack("QQ", address, 16)
        return call(number_of(310, 270), pid, local, 1, remote, 1, 0) == 16

    return each(read)


@attempt("reading its memory, by a file")
def _():
    def read(pid):
        address = int(text_of(f"/proc/{pid}/maps").split("-")[0], 16)
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            memory.seek(address)
            return len(memory.read(16)) == 16

    return each(read)


@attempt("writing its memory, by a file")
def _():
    return each(lambda pid: os.open(f"/proc/{pid}/mem", os.O_RDWR) > 0)


for name in ("environ", "maps", "auxv", "io", "syscall", "stack", "personality", "numa_maps"):

    @attempt(f"its {name}", may_lack=name != "environ")
    def _():
        return each(lambda pid: text_of(f"/proc/{pid}/{name}"))


for name in ("exe", "cwd", "root"):

    @attempt(f"its {name}")
    def _():
        return each(lambda pid: os.readlink(f"/proc/{pid}/{name}"))


@attempt("its descriptors")
def _():
    return each(lambda pid: os.readlink(f"/proc/{pid}/fd/1"))


@attempt("opening its descriptors")
def _():
    def open_one(pid):
        return first_that(lambda fd: os.open(f"/proc/{pid}/fd/{fd}", os.O_RDONLY | os.O_NONBLOCK) > 0, range(20))

    return each(open_one)


@attempt("taking its descriptors")
def _():
    return each(lambda pid: call(number_of(438), os.pidfd_open(pid), 1, 0) > 0)


@attempt("its namespaces")
def _():
    return each(lambda pid: os.readlink(f"/proc/{pid}/ns/mnt"))


@attempt("entering its namespaces", needs_root=True)
def _():
    return each(lambda pid: check(libc.setns(os.pidfd_open(pid), 0x20000)) == 0)


@attempt("comparing its descriptors with one's own", may_lack=True)
def _():
    return each(lambda pid: call(number_of(312, 272), os.getpid(), pid, 0, 0, 0) >= 0)


@attempt("its limits")
def _():
    import resource

    def limit(pid):
        resource.prlimit(pid, resource.RLIMIT_NOFILE, resource.prlimit(pid, resource.RLIMIT_NOFILE))
        return True

    return each(limit)


@attempt("its priority")
def _():
    return each(lambda pid: os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid)) is None)


@attempt("its scheduling")
def _():
    return each(lambda pid: os.sched_setscheduler(pid, os.SCHED_OTHER, os.sched_param(0)) is None)


@attempt("its processors")
def _():
    return each(lambda pid: os.sched_setaffinity(pid, os.sched_getaffinity(pid)) is None)


@attempt("its priority for disks")
def _():
    return each(lambda pid: call(number_of(251, 30), 1, pid, 0) == 0)


@attempt("the priority of all that the user runs", may_lack=True)
def _():
    before = os.getpriority(os.PRIO_USER, os.getuid())
    os.setpriority(os.PRIO_USER, os.getuid(), before)
    return PLACE["level"] != "full"  # there it means the run's own processes


@attempt("its memory, given back", may_lack=True)
def _():
    advice = struct.pack("QQ", 0, 4096)
    return each(lambda pid: call(number_of(440), os.pidfd_open(pid), advice, 1, 21, 0) >= 0)


@attempt("moving its pages", may_lack=True)
def _():
    return each(lambda pid: call(number_of(279, 239), pid, 0, 0, 0, 0, 0) == 0)


@attempt("its chance to be ended for want of memory")
def _():
    def adjust(pid):
        with open(f"/proc/{pid}/oom_score_adj", "r+") as file:
            file.write(file.read().strip())
        return True

    return each(adjust)


@attempt("its name")
def _():
    def rename(pid):
        with open(f"/proc/{pid}/comm", "r+") as file:
            return bool(file.read())

    return each(rename)


# Of the run's own processes, the one that supervises it: pid 1 where it has an own list of processes.
SUPERVISOR = os.getppid()


@attempt("the supervisor's memory")
def _():
    return text_of(f"/proc/{SUPERVISOR}/maps")


@attempt("the supervisor's variables")
def _():
    return text_of(f"/proc/{SUPERVISOR}/environ")


@attempt("the supervisor's descriptors")
def _():
    return os.readlink(f"/proc/{SUPERVISOR}/fd/0")


@attempt("taking the supervisor's descriptors")
def _():
    return first_that(lambda fd: call(number_of(438), os.pidfd_open(SUPERVISOR), fd, 0) > 0, range(20))


@attempt("tracing the supervisor")
def _():
    check(libc.ptrace(0x4206, SUPERVISOR, 0, 0))
    libc.ptrace(17, SUPERVISOR, 0, 0)
    return True


@attempt("the supervisor's limits")
def _():
    import resource

    resource.prlimit(SUPERVISOR, resource.RLIMIT_FSIZE, resource.prlimit(SUPERVISOR, resource.RLIMIT_FSIZE))
    return True


@attempt("the supervisor's priority")
def _():
    os.setpriority(os.PRIO_PROCESS, SUPERVISOR, os.getpriority(os.PRIO_PROCESS, SUPERVISOR))
    return True


@attempt("the supervisor's scheduling")
def _():
    os.sched_setscheduler(SUPERVISOR, os.SCHED_OTHER, os.sched_param(0))
    return True


@attempt("the supervisor's chance to be ended for want of memory")
def _():
    with open(f"/proc/{SUPERVISOR}/oom_score_adj", "r+") as file:
        file.write(file.read().strip())
    return True
