# Ways to the server's variables and arguments, among which there are often secrets.
@attempt("its own variables", may_lack=True)
def _():
    return PLACE["secret"] in str(dict(os.environ))


@attempt("the variables that it was started with", may_lack=True)
def _():
    return holds_secret("/proc/self/environ")


@attempt("variables of a program that it starts", may_lack=True)
def _():
    return PLACE["secret"].encode() in subprocess.run(["env"], capture_output=True, check=True).stdout


@attempt("variables of any process")
def _():
    return first_that(lambda pid: holds_secret(f"/proc/{pid}/environ"), all_processes())


@attempt("variables of the processes that it comes from")
def _():
    pid = os.getppid()
    while pid > 1:
        if first_that(holds_secret, [f"/proc/{pid}/environ"]):
            return True
        pid = int(text_of(f"/proc/{pid}/stat").rpartition(")")[2].split()[1])
    return False


@attempt("what its libraries remember of the start", may_lack=True)
def _():
    words = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
    index = 0
    while words[index] is not None:
        if PLACE["secret"].encode() in words[index]:
            return True
        index += 1
    return False


@attempt("its own memory", may_lack=True)
def _():
    # the word itself is here, since this program holds it; the variable is not
    needle, secret = b"SERVER_SECRET=", PLACE["secret"].encode()
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps:
            if " rw-p " not in line or "[v" in line:
                continue
            start, end = (int(number, 16) for number in line.split()[0].split("-"))
            memory.seek(start)
            pieces = memory.read(min(end - start, 1 << 26)).split(needle)
            if any(piece.startswith(secret) for piece in pieces[1:]):
                return True
    return False


@attempt("the secrets that the operator's settings hold", may_lack=True)
def _():
    return first_that(lambda pid: "PY_EXECUTOR" in text_of(f"/proc/{pid}/environ"), all_processes())
