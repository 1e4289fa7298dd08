# Ways to read what is a credential: each is tried on a file that exists when the server starts.
SECRET = PLACE["home"] + "/.ssh/id_test"
FOLDER, NAME = os.path.split(SECRET)
os.chdir(PLACE["workspace"])


def from_descriptor(path):
    """Opens the secret below something else than the root, of which a descriptor is had."""
    fd = os.open(path, os.O_PATH | os.O_DIRECTORY)
    return holds_secret(f"/proc/self/fd/{fd}{SECRET}")


def disks():
    lines = [line.split() for line in text_of("/proc/partitions").splitlines()[2:]]
    return {name: (int(major), int(minor)) for major, minor, _, name in lines}


@attempt("by its path")
def _():
    return holds_secret(SECRET)


@attempt("every planted credential")
def _():
    return first_that(
        holds_secret, [f"{PLACE['home']}/{name}" for name in (".aws/credentials", ".netrc", ".bash_history")]
    )


@attempt("password hashes of the machine", needs_root=True)
def _():
    return "root:" in text_of("/etc/shadow")


@attempt("by a symbolic link")
def _():
    os.symlink(SECRET, "link")
    return holds_secret("link")


@attempt("by a symbolic link to a folder above it")
def _():
    os.symlink("/", "door")
    return holds_secret(f"door{SECRET}")


@attempt("by a hard link of its own")
def _():
    os.link(SECRET, "hard")
    return holds_secret("hard")


@attempt("by moving it into the workspace")
def _():
    os.rename(PLACE["home"] + "/.netrc", "taken")
    try:
        return holds_secret("taken")
    finally:
        os.rename("taken", PLACE["home"] + "/.netrc")


@attempt("by moving the folder that it is in")
def _():
    os.rename(FOLDER, "taken-folder")
    try:
        return holds_secret(f"taken-folder/{NAME}")
    finally:
        os.rename("taken-folder", FOLDER)


@attempt("through /proc/self/root")
def _():
    return holds_secret(f"/proc/self/root{SECRET}")


@attempt("through the root of any process")
def _():
    return first_that(lambda pid: holds_secret(f"/proc/{pid}/root{SECRET}"), all_processes())


@attempt("through the working folder of any process")
def _():
    return first_that(lambda pid: holds_secret(f"/proc/{pid}/cwd/../../../../../../..{SECRET}"), all_processes())


@attempt("through a descriptor of any process", may_lack=True)
def _():
    def through(pid):
        links = [f"/proc/{pid}/fd/{fd}" for fd in os.listdir(f"/proc/{pid}/fd")]
        folders = [link for link in links if os.path.isdir(link)]
        return first_that(lambda link: holds_secret(f"{link}/../../../../../../..{SECRET}"), folders)

    return first_that(through, all_processes())


@attempt("through a descriptor of the root folder")
def _():
    return from_descriptor("/")


@attempt("through an O_PATH descriptor of it, opened again in /proc/self/fd")
def _():
    fd = os.open(SECRET, os.O_PATH)
    return holds_secret(f"/proc/self/fd/{fd}")


@attempt("through an O_PATH descriptor of it, opened again in /dev/fd")
def _():
    fd = os.open(SECRET, os.O_PATH)
    return holds_secret(f"/dev/fd/{fd}")


@attempt("through a descriptor of its folder")
def _():
    folder = os.open(FOLDER, os.O_PATH | os.O_DIRECTORY)
    return holds_secret(f"/proc/self/fd/{folder}/{NAME}")


@attempt("by the dots behind another folder")
def _():
    return holds_secret(f"{PLACE['outside']}/../.ssh/{NAME}")


@attempt("by another program")
def _():
    return PLACE["secret"].encode() in subprocess.run(["cat", SECRET], capture_output=True, check=True).stdout


@attempt("by the server's root, if it is chroot's to give", needs_root=True)
def _():
    os.chroot("/proc/self/root")
    return holds_secret(SECRET)


@attempt("by its handle", needs_root=True)
def _():
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
    mount_id = ctypes.c_int()
    call(number_of(303, 264), -100, SECRET.encode(), handle, ctypes.byref(mount_id), 0)
    workspace = os.open(".", os.O_RDONLY)
    fd = call(number_of(304, 265), workspace, handle, os.O_RDONLY)
    return PLACE["secret"].encode() in os.read(fd, 1000)


@attempt("by a bind mount in namespaces of its own", may_lack=True)
def _():
    check(libc.unshare(0x10000000 | 0x00020000))
    os.mkdir("bound")
    check(libc.mount(FOLDER.encode(), b"bound", None, 4096, None))
    return holds_secret(f"bound/{NAME}")


@attempt("by taking away what covers it", may_lack=True)
def _():
    first_that(lambda path: check(libc.umount2(path.encode(), 2)) is None, [SECRET, FOLDER, PLACE["home"]])
    return holds_secret(SECRET)


@attempt("by taking away what covers it, in namespaces of its own", may_lack=True)
def _():
    check(libc.unshare(0x10000000 | 0x00020000))
    check(libc.umount2(FOLDER.encode(), 2))
    return holds_secret(SECRET)


@attempt("by rights for everybody")
def _():
    os.chmod(SECRET, 0o644)
    return holds_secret(SECRET)


@attempt("the names of what is hidden")
def _():
    return NAME in os.listdir(FOLDER)


@attempt("from a disk itself", needs_root=True, may_lack=True)
def _():
    def read(name):
        with open(f"/dev/{name}", "rb") as disk:
            return len(disk.read(512)) == 512

    return first_that(read, disks())


@attempt("from a disk itself, by a device of its own", needs_root=True, may_lack=True)
def _():
    def read(numbers):
        os.mknod("disk", 0o600 | stat.S_IFBLK, os.makedev(*numbers))
        try:
            with open("disk", "rb") as disk:
                return len(disk.read(512)) == 512
        finally:
            os.unlink("disk")

    return first_that(read, [numbers for numbers in disks().values()])


@attempt("the memory of the machine", needs_root=True, may_lack=True)
def _():
    return first_that(lambda path: open(path, "rb").read(16), ["/dev/mem", "/dev/kmem", "/proc/kcore"])


@attempt("what the server keeps in its own folder")
def _():
    return holds_secret(PLACE["kept"])
