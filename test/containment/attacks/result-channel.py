# Ways to what carries results to the server, and to what looks like it.
OWN = {0, 1, 2, 511}
SUPERVISOR = os.getppid()
os.chdir(PLACE["workspace"])


@attempt("a descriptor beyond its own", may_lack=True)
def _():
    found = {int(name) for name in os.listdir("/proc/self/fd")}
    unknown = {fd for fd in found - OWN if os.path.lexists(f"/proc/self/fd/{fd}")}
    # what this attempt itself tells its outcome by
    return [fd for fd in unknown if not os.readlink(f"/proc/self/fd/{fd}").startswith("pipe:")]


def exists(fd):
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


@attempt("a socket among its descriptors", may_lack=True)
def _():
    return any(stat.S_ISSOCK(os.fstat(int(name)).st_mode) for name in os.listdir("/proc/self/fd") if exists(int(name)))


@attempt("the connection of the supervisor, taken")
def _():
    def take(fd):
        mine = call(438, os.pidfd_open(SUPERVISOR), fd, 0)
        return stat.S_ISSOCK(os.fstat(mine).st_mode)

    return first_that(take, range(30))


@attempt("the connection of the supervisor, opened", may_lack=True)
def _():
    return first_that(lambda fd: os.open(f"/proc/{SUPERVISOR}/fd/{fd}", os.O_WRONLY) > 0, range(30))


@attempt("the server's own output")
def _():
    # it is a socket, which can be taken, and not opened
    return first_that(lambda pid: os.readlink(f"/proc/{pid}/fd/1"), [PLACE["server"]])


@attempt("a connection to a template")
def _():
    def connect(name):
        os.symlink(f"{PLACE['server_folder']}/{name}", "link-" + name.replace("/", "-"))
        with socket.socket(socket.AF_UNIX) as visitor:
            visitor.connect("link-" + name.replace("/", "-"))
            return True

    return first_that(connect, PLACE["server_sockets"])


@attempt("code in the supervisor's memory")
def _():
    return os.open(f"/proc/{SUPERVISOR}/mem", os.O_RDWR) > 0


@attempt("another run's output in the server's folder")
def _():
    return holds_secret(PLACE["kept"])
