# Parts of the kernel that no Python program of this kind needs, and rights that a run has no use for.
NEW = {"NEWNS": 0x20000, "NEWCGROUP": 0x2000000, "NEWUTS": 0x4000000, "NEWIPC": 0x8000000, "NEWPID": 0x20000000, "NEWNET": 0x40000000}
NEWUSER = 0x10000000
os.chdir(PLACE["workspace"])


@attempt("any right of root's but those over files", needs_root=True)
def _():
    fields = dict(line.split(":\t") for line in text_of("/proc/self/status").splitlines() if line.startswith("Cap"))
    over_files = 0b1011 if PLACE["level"] == "without namespaces" else 0
    sets = [int(fields[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")]
    if os.geteuid() != 0:
        sets.pop(3)  # where there are no namespaces, an ordinary user can't give up what nobody can use (no_new_privs)
    return any(rights & ~over_files for rights in sets)


@attempt("more rights by starting a program")
def _():
    return "NoNewPrivs:\t0" in text_of("/proc/self/status")


@attempt("rights, taken back", needs_root=True)
def _():
    header = struct.pack("Ii", 0x20080522, 0)
    everything = struct.pack("IIIIII", 0xFFFFFFFF, 0xFFFFFFFF, 0, 0x1FF, 0x1FF, 0)
    current = ctypes.create_string_buffer(24)
    call(number_of(125, 90), header, current)
    effective = struct.unpack("IIIIII", current.raw)[1]
    call(number_of(126, 91), header, current.raw if PLACE["level"] == "off" else everything)
    return effective or PLACE["level"] != "off"


@attempt("another user's number", needs_root=True)
def _():
    os.setresuid(12345, 12345, 12345)
    return True


@attempt("another group", needs_root=True)
def _():
    os.setgroups([12345])
    return True


@attempt("limits, raised", needs_root=True, may_lack=True)
def _():
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard + 1))
    except ValueError:
        return False
    return True


@attempt("namespaces of a new user", may_lack=True)
def _():
    return check(libc.unshare(NEWUSER)) == 0


@attempt("namespaces of a new user, by clone", may_lack=True)
def _():
    pid = call(number_of(56, 220), NEWUSER | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True


@attempt("namespaces of a new user, by clone3", may_lack=True)
def _():
    pid = call(435, struct.pack("8Q", NEWUSER, 0, 0, 0, signal.SIGCHLD, 0, 0, 0), 64)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True


for name, flag in NEW.items():

    @attempt(f"namespaces: {name}", needs_root=True)
    def _():
        return check(libc.unshare(flag)) == 0


@attempt("clone3 at all", may_lack=True)
def _():
    # what it is to do stands in memory, where no filter can look
    pid = call(435, struct.pack("8Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0), 64)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True


@attempt("a mount", needs_root=True)
def _():
    if PLACE["level"] == "off":  # in private only
        check(libc.unshare(NEW["NEWNS"]))
        check(libc.mount(b"none", b"/", None, 0x4000 | 0x40000, None))
    os.makedirs("mounted", exist_ok=True)
    return check(libc.mount(b"none", b"mounted", b"tmpfs", 0, None)) == 0


@attempt("a mount by the newer calls", needs_root=True)
def _():
    return call(430, b"tmpfs", 0) > 0


@attempt("a copy of what is mounted", needs_root=True)
def _():
    return call(428, -100, b"/", 1) > 0


@attempt("other rules for what is mounted", needs_root=True)
def _():
    if PLACE["level"] == "off":
        check(libc.unshare(NEW["NEWNS"]))
        check(libc.mount(b"none", b"/", None, 0x4000 | 0x40000, None))
    return call(442, -100, b"/", 0, struct.pack("4Q", 0, 1, 0, 0), 32) == 0


@attempt("another root folder", needs_root=True)
def _():
    os.chroot(".")
    return True


@attempt("another root of all mounts", needs_root=True, may_lack=True)
def _():
    return check(libc.syscall(number_of(155, 41), b".", b".")) == 0


@attempt("a handle of a file", may_lack=True)
def _():
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
    return call(number_of(303, 264), -100, b"/etc/passwd", handle, ctypes.byref(ctypes.c_int()), 0) == 0


@attempt("keys of the kernel: adding one")
def _():
    return call(number_of(248, 217), b"user", b"planted", b"x", 1, -3) > 0


@attempt("keys of the kernel: the session's", may_lack=True)
def _():
    return call(number_of(250, 219), 0, -3, 0) > 0


@attempt("keys of the kernel: the user's", may_lack=True)
def _():
    return call(number_of(250, 219), 0, -4, 1) > 0


@attempt("programs for the kernel (bpf)", needs_root=True)
def _():
    return call(number_of(321, 280), 0, struct.pack("IIII", 2, 4, 4, 1) + bytes(56), 72) > 0


@attempt("events of the kernel (perf)", needs_root=True, may_lack=True)
def _():
    return call(number_of(298, 241), struct.pack("IIQ", 1, 112, 0) + bytes(96), 0, -1, -1, 0) > 0


@attempt("page faults (userfaultfd)", needs_root=True, may_lack=True)
def _():
    return call(number_of(323, 282), os.O_CLOEXEC) > 0


@attempt("io_uring", may_lack=True)
def _():
    return call(425, 8, bytes(120)) > 0


@attempt("tracing one's own process")
def _():
    return check(libc.ptrace(0, 0, 0, 0)) == 0


@attempt("reading one's own memory as another's")
def _():
    word = ctypes.create_string_buffer(b"word", 8)
    copy = ctypes.create_string_buffer(8)
    local, remote = (struct.pack("QQ", ctypes.addressof(one), 4) for one in (copy, word))
    return call(number_of(310, 270), os.getpid(), local, 1, remote, 1, 0) == 4


@attempt("memory without a name (memfd)")
def _():
    return os.memfd_create("planted") > 0


@attempt("System V shared memory")
def _():
    identity = check(libc.shmget(0, 4096, 0o1600))
    return libc.shmctl(identity, 0, None) == 0


@attempt("System V semaphores")
def _():
    identity = check(libc.semget(0, 1, 0o1600))
    return libc.semctl(identity, 0, 0) == 0


@attempt("System V messages")
def _():
    identity = check(libc.msgget(0, 0o1600))
    return libc.msgctl(identity, 0, None) == 0


@attempt("the host's own System V memory, by its number")
def _():
    libc.shmat.restype = ctypes.c_long
    return check(libc.shmat(PLACE["segment"], None, 0o10000)) > 0


@attempt("the list of the host's System V memory")
def _():
    rows = [line.split() for line in text_of("/proc/sysvipc/shm").splitlines()[1:]]
    return any(int(row[1]) == PLACE["segment"] for row in rows)


@attempt("POSIX messages", may_lack=True)
def _():
    queue = call(number_of(240, 180), b"planted", os.O_CREAT | os.O_RDWR, 0o600, None)
    call(number_of(241, 181), b"planted")
    return queue >= 0


@attempt("the kernel's log", needs_root=True, may_lack=True)
def _():
    return call(number_of(103, 116), 3, ctypes.create_string_buffer(4096), 4096) > 0


@attempt("the machine's name", needs_root=True)
def _():
    name = os.uname().nodename.encode()
    return check(libc.sethostname(name, len(name))) == 0


@attempt("the clock", needs_root=True)
def _():
    return call(number_of(164, 170), 0, 0) == 0


@attempt("the speed of the clock")
def _():
    return check(libc.adjtimex(bytes(256))) >= 0


@attempt("ports of the processor", needs_root=True, may_lack=True)
def _():
    return os.uname().machine == "x86_64" and call(172, 0) == 0


@attempt("segments of the processor", may_lack=True)
def _():
    return os.uname().machine == "x86_64" and call(154, 0, ctypes.create_string_buffer(64), 64) >= 0


@attempt("calls of 32-bit programs", may_lack=True)
def _():
    import mmap

    if os.uname().machine != "x86_64":
        return False
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\x53\xb8\x14\x00\x00\x00\xcd\x80\x5b\xc3")  # push rbx; mov eax, 20 (getpid); int 0x80; pop rbx; ret
    function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    return function() == os.getpid()


@attempt("calls of the x32 architecture", may_lack=True)
def _():
    return os.uname().machine == "x86_64" and call(0x40000000 + 39) == os.getpid()


#: Numbers of calls, with arguments that can't have an effect: only being refused beforehand differs from failing for them.
POINTLESS = {
    "init_module": (number_of(175, 105), (0, 0, 0)),
    "finit_module": (number_of(313, 273), (-1, 0, 0)),
    "delete_module": (number_of(176, 106), (b"", 0)),
    "kexec_load": (number_of(246, 104), (0, 99, 0, 0xFFFF0000)),
    "kexec_file_load": (number_of(320, 294), (-1, -1, 0, 0, 0xFFFF)),
    "reboot": (number_of(169, 142), (0, 0, 0, 0)),
    "swapon": (number_of(167, 224), (b"/nowhere", 0)),
    "swapoff": (number_of(168, 225), (b"/nowhere",)),
    "quotactl": (number_of(179, 60), (0, b"/nowhere", 0, 0)),
    "fanotify_init": (number_of(300, 262), (0xFFFFFFFF, 0)),
    "setns": (number_of(308, 268), (-1, 0)),
    "open_by_handle_at": (number_of(304, 265), (-1, 0, 0)),
    "move_mount": (429, (-1, b"", -1, b"", 0xFFFFFFFF)),
    "process_madvise": (440, (-1, 0, 0, 0, 0)),
    "io_uring_enter": (426, (-1, 0, 0, 0, 0, 0)),
    "io_uring_register": (427, (-1, 0, 0, 0)),
}
for name, (number, arguments) in POINTLESS.items():

    @attempt(f"any answer to {name} but a refusal", needs_root=True, may_lack=True)
    def _():
        try:
            call(number, *arguments)
        except OSError as error:
            return error.errno not in (errno.EPERM, errno.ENOSYS)
        return True


@attempt("typing into a terminal", may_lack=True)
def _():
    import fcntl, pty, termios

    pid, terminal = pty.fork()
    if pid == 0:
        try:
            fcntl.ioctl(0, termios.TIOCSTI, b"x")
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


@attempt("the terminal of whoever started the server", may_lack=True)
def _():
    return first_that(lambda path: os.open(path, os.O_RDWR | os.O_NONBLOCK) > 0, ["/dev/tty", "/dev/console", "/dev/tty0"])


PROGRAMS = ["su", "mount", "sudo", "pkexec", "newgrp", "passwd", "chsh", "fusermount3", "newuidmap"]


def runs_as_root(path):
    """Whether a program gets root's rights, though its starter hasn't got them."""
    program = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        numbers = text_of(f"/proc/{program.pid}/status").partition("Uid:")[2].split()[:4]
        return "0" in numbers
    finally:
        program.kill()
        program.wait()


@attempt("a program of the machine that gives root's rights", may_lack=True)
def _():
    import shutil

    found = [path for path in map(shutil.which, PROGRAMS) if path and os.stat(path).st_mode & stat.S_ISUID]
    return os.geteuid() != 0 and first_that(runs_as_root, found)


@attempt("a program in the workspace that gives root's rights", may_lack=os.stat(PLACE["giver"]).st_uid == os.geteuid())
def _():
    return b"euid=0" in subprocess.run([PLACE["giver"]], capture_output=True, check=True).stdout
