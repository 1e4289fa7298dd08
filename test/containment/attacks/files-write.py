# Ways to change what is outside of the workspace, or what others start in it. What is opened is not written where that would do harm.
KEEP = PLACE["outside"] + "/keep.txt"
HOME = PLACE["home"]
os.chdir(PLACE["workspace"])


def is_kept():
    """Whether the file outside is as it was. It is put right for the next attempt where nothing stops this one."""
    return os.path.exists(KEEP) and holds_secret(KEEP) and os.stat(KEEP).st_mode & 0o777 == 0o600


def appended(path):
    with open(path, "a") as file:
        file.write("# planted\n")
    return True


def opened(path):
    """Opens for writing, and leaves the contents alone."""
    os.close(os.open(path, os.O_WRONLY))
    return True


@attempt("appending to a file")
def _():
    return appended(KEEP)


@attempt("a new file")
def _():
    return appended(PLACE["outside"] + "/new.txt")


@attempt("a new file by way of the dots")
def _():
    return appended("../other/new-by-dots.txt")


@attempt("a new folder")
def _():
    os.mkdir(PLACE["outside"] + "/folder")
    return True


@attempt("a new symbolic link")
def _():
    os.symlink("/etc", PLACE["outside"] + "/link")
    return True


@attempt("a new socket")
def _():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(PLACE["outside"] + "/s")
    return True


@attempt("a new pipe")
def _():
    os.mkfifo(PLACE["outside"] + "/pipe")
    return True


@attempt("an unnamed file, named later")
def _():
    fd = os.open(PLACE["outside"], os.O_TMPFILE | os.O_WRONLY)
    call(number_of(265, 37), -100, f"/proc/self/fd/{fd}".encode(), -100, f"{PLACE['outside']}/named".encode(), 0x400)
    return True


@attempt("a hard link to a file of the workspace")
def _():
    appended("own")
    os.link("own", PLACE["outside"] + "/own")
    return True


@attempt("moving a file out of the workspace")
def _():
    appended("own")
    os.rename("own", PLACE["outside"] + "/moved")
    return True


@attempt("moving a file into the workspace, and back")
def _():
    os.rename(KEEP, "taken")
    os.rename("taken", KEEP)
    return True


@attempt("exchanging it for a file of the workspace, and back")
def _():
    appended("own")
    swap = number_of(316, 276)
    for _ in range(2):
        call(swap, -100, b"own", -100, KEEP.encode(), 2)
    return True


@attempt("removing a file")
def _():
    os.unlink(PLACE["outside"] + "/remove.txt")
    return True


@attempt("truncating a file")
def _():
    os.truncate(PLACE["outside"] + "/truncate.txt", 0)
    return True


@attempt("truncating a file that is open for reading")
def _():
    fd = os.open(PLACE["outside"] + "/truncate.txt", os.O_RDONLY)
    os.truncate(f"/proc/self/fd/{fd}", 0)
    return True


@attempt("the rights of a file")
def _():
    os.chmod(KEEP, 0o600)
    return True


@attempt("the times of a file")
def _():
    os.utime(KEEP, (1, 1))
    return True


@attempt("the owner of a file")
def _():
    os.chown(KEEP, os.getuid(), os.getgid())
    return True


@attempt("the attributes of a file", may_lack=True)
def _():
    os.setxattr(KEEP, "user.planted", b"1")
    return True


@attempt("through a symbolic link in the workspace")
def _():
    os.symlink(KEEP, "leaf")
    return appended("leaf")


@attempt("through a symbolic link to a folder")
def _():
    os.symlink(PLACE["outside"], "door")
    return appended("door/new-by-link.txt")


@attempt("through a hard link in the workspace")
def _():
    os.link(KEEP, "hard")
    return appended("hard")


@attempt("through /proc/self/root")
def _():
    return appended("/proc/self/root" + KEEP)


@attempt("through a process's working folder")
def _():
    return first_that(lambda pid: appended(f"/proc/{pid}/cwd/../../../../../../../..{KEEP}"), all_processes())


@attempt("through an O_PATH descriptor")
def _():
    fd = os.open(KEEP, os.O_PATH)
    return appended(f"/proc/self/fd/{fd}")


@attempt("through a descriptor that is open for reading")
def _():
    fd = os.open(PLACE["outside"] + "/truncate.txt", os.O_RDONLY)
    return appended(f"/dev/fd/{fd}")


@attempt("through a mapping of a file that is open for reading")
def _():
    import mmap

    fd = os.open(PLACE["outside"] + "/truncate.txt", os.O_RDWR)
    mmap.mmap(fd, 0)[0] = 1
    return True


@attempt("by another program")
def _():
    subprocess.run(["touch", PLACE["outside"] + "/new-by-program.txt"], check=True, capture_output=True)
    return True


@attempt("making it writable by a mount", needs_root=True)
def _():
    check(libc.mount(b"none", PLACE["outside"].encode(), None, 32 | 4096, None)) if PLACE["level"] != "off" else None
    return appended(KEEP)


@attempt("removing the workspace itself")
def _():
    os.rename(PLACE["workspace"], PLACE["workspace"] + "-moved")
    os.rename(PLACE["workspace"] + "-moved", PLACE["workspace"])
    return True


for name in (".profile", ".bashrc", ".ssh/authorized_keys", ".config/autostart/x.desktop", ".local/bin/python3"):

    @attempt(f"what is started for the user: ~/{name}")
    def _():
        os.makedirs(os.path.dirname(f"{HOME}/{name}"), exist_ok=True)
        return appended(f"{HOME}/{name}")


@attempt("what cron starts", needs_root=True, may_lack=True)
def _():
    return first_that(opened, ["/etc/crontab", "/etc/cron.d/e2scrub_all", "/var/spool/cron"])


@attempt("what every user starts", needs_root=True)
def _():
    return opened("/etc/profile")


@attempt("the names of the machine's users", needs_root=True)
def _():
    return opened("/etc/passwd")


@attempt("the interpreter", needs_root=True)
def _():
    beside = os.path.realpath(sys.executable) + "-planted"
    appended(beside)
    os.unlink(beside)
    return True


@attempt("the standard library", needs_root=True)
def _():
    return opened(json.__file__)


@attempt("a package of the standard library beside the others", needs_root=True)
def _():
    path = os.path.join(os.path.dirname(json.__file__), "planted.py")
    appended(path)
    os.unlink(path)
    return True


@attempt("the program that runs code", needs_root=True)
def _():
    return opened(f"{PLACE['root']}/python/py_executor_runtime/runner.py")


@attempt("the server", needs_root=True)
def _():
    return opened(f"{PLACE['root']}/dist/cli.js")


@attempt("the server's own folder")
def _():
    return appended(PLACE["kept"])


@attempt("a new file in the server's own folder")
def _():
    return appended(PLACE["kept"] + ".new")


for name in ("hooks/post-checkout", "config"):

    @attempt(f"of a repository in the workspace: {name}")
    def _():
        return appended(f".git/{name}")


@attempt("of a repository in the workspace: a new hook")
def _():
    return appended(".git/hooks/pre-commit")


@attempt("of a repository in the workspace: its hooks, moved away")
def _():
    os.rename(".git/hooks", ".git/hooks-moved")
    os.rename(".git/hooks-moved", ".git/hooks")
    return True


@attempt("of a repository in the workspace: all of it, moved away")
def _():
    os.rename(".git", "git-moved")
    os.rename("git-moved", ".git")
    return True


@attempt("of the editor and the agent in the workspace")
def _():
    return first_that(appended, [".mcp.json", ".vscode/tasks.json"])


@attempt("of the environment in the workspace: a package")
def _():
    return appended(PLACE["packages"] + "/planted.pth")


@attempt("of the environment in the workspace: its Python")
def _():
    target = os.readlink(".venv/bin/python")
    os.unlink(".venv/bin/python")
    os.symlink(target, ".venv/bin/python")
    return True


@attempt("of the environment in the workspace: all of it, moved away")
def _():
    os.rename(".venv", "venv-moved")
    os.rename("venv-moved", ".venv")
    return True


@attempt("of the kernel: what it does with a dump", needs_root=True)
def _():
    return opened("/proc/sys/kernel/core_pattern")


@attempt("of the kernel: any setting", needs_root=True)
def _():
    return first_that(
        opened, ["/proc/sys/vm/swappiness", "/proc/sys/kernel/hostname", "/proc/sys/net/core/somaxconn", "/proc/sys/fs/file-max"]
    )


@attempt("of the kernel: /proc/sysrq-trigger", needs_root=True, may_lack=True)
def _():
    return opened("/proc/sysrq-trigger")


@attempt("of the kernel: /sys", needs_root=True, may_lack=True)
def _():
    return first_that(
        opened, ["/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/uevent_helper", "/sys/power/state"]
    )


@attempt("of the kernel: cgroups", needs_root=True, may_lack=True)
def _():
    path = f"/sys/fs/cgroup/{'pids/' if os.path.isdir('/sys/fs/cgroup/pids') else ''}planted-{os.getpid()}"
    os.mkdir(path)
    os.rmdir(path)
    return True


@attempt("a disk itself", needs_root=True, may_lack=True)
def _():
    names = [line.split()[3] for line in text_of("/proc/partitions").splitlines()[2:]]
    return first_that(lambda name: opened(f"/dev/{name}"), names)


@attempt("a device of its own", needs_root=True)
def _():
    os.mknod("device", 0o600 | stat.S_IFCHR, os.makedev(1, 1))
    os.unlink("device")
    return True


@attempt("the log of the kernel", needs_root=True, may_lack=True)
def _():
    return opened("/dev/kmsg")


@attempt("how another process is chosen to end", may_lack=True)
def _():
    with open(f"/proc/{PLACE['server']}/oom_score_adj", "r+") as file:
        file.write(text_of(f"/proc/{PLACE['server']}/oom_score_adj"))
    return True


@attempt("a program in the workspace that gives its owner's rights to whoever starts it")
def _():
    appended("program")

    def marks(way):
        way()
        return first_that(lambda name: os.stat(name).st_mode & stat.S_ISUID, ["program", "new", "node"])

    fd = os.open("program", os.O_RDONLY)
    ways = [
        lambda: os.chmod("program", 0o4755),
        lambda: os.fchmod(fd, 0o4755),
        lambda: os.chmod(fd, 0o4755),
        lambda: os.chmod("program", 0o4755, dir_fd=os.open(".", os.O_RDONLY)),
        lambda: call(452, -100, b"program", 0o4755, 0),
        lambda: os.open("new", os.O_CREAT | os.O_WRONLY, 0o4755),
        lambda: call(437, -100, b"new", struct.pack("QQQ", os.O_CREAT | os.O_WRONLY, 0o4755, 0), 24),
        lambda: os.mknod("node", 0o4755),
    ]
    return first_that(marks, ways)
