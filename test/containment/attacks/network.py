# Ways to talk to anything but the run's own processes.
os.chdir(PLACE["workspace"])
SECONDS_TO_CONNECT = 2


def talks(family, address, kind=socket.SOCK_STREAM):
    """Whether a listener of the test answers."""
    with socket.socket(family, kind) as visitor:
        visitor.settimeout(SECONDS_TO_CONNECT)
        visitor.connect(address)
        if kind == socket.SOCK_DGRAM:
            visitor.send(b"?")
        return PLACE["secret"].encode() in visitor.recv(1000)


def makes(family, kind=socket.SOCK_STREAM, protocol=0):
    """Whether there is a socket of a family."""
    socket.socket(family, kind, protocol).close()
    return True


@attempt("the machine's loopback, by TCP")
def _():
    return talks(socket.AF_INET, ("127.0.0.1", PLACE["tcp"]))


@attempt("the machine's loopback, by TCP, as any address")
def _():
    return first_that(
        lambda host: talks(socket.AF_INET, (host, PLACE["tcp"])), ["127.0.0.2", "0.0.0.0", "127.255.255.254"]
    )


@attempt("the machine's loopback, by IPv6", may_lack=True)
def _():
    return first_that(
        lambda host: talks(socket.AF_INET6, (host, PLACE["tcp"])), ["::1", "::", "::ffff:127.0.0.1"]
    )


@attempt("the machine's loopback, by UDP")
def _():
    return talks(socket.AF_INET, ("127.0.0.1", PLACE["udp"]), socket.SOCK_DGRAM)


@attempt("the machine's other addresses", may_lack=True)
def _():
    return first_that(lambda host: talks(socket.AF_INET, (host, PLACE["tcp"])), PLACE["addresses"])


@attempt("the address that clouds tell credentials at", may_lack=True)
def _():
    with socket.create_connection(("169.254.169.254", 80), timeout=SECONDS_TO_CONNECT):
        return True


@attempt("a way to the address that clouds tell credentials at", may_lack=True)
def _():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as visitor:
        visitor.connect(("169.254.169.254", 53))  # sends nothing: there is a route, or there is none
        return True


@attempt("a way to the Internet", may_lack=True)
def _():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as visitor:
        visitor.connect(("192.0.2.1", 53))
        return True


@attempt("a way to the local network", may_lack=True)
def _():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as visitor:
        visitor.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        return bool(visitor.sendto(b"?", ("255.255.255.255", 9)))


@attempt("names of the Internet", may_lack=True)
def _():
    return bool(socket.getaddrinfo("example.com", 80))


for place, path in PLACE["unix"].items():

    @attempt(f"a Unix socket in {place}")
    def _():
        return talks(socket.AF_UNIX, path)


@attempt("a Unix socket, by a symbolic link in the workspace")
def _():
    os.symlink(PLACE["unix"]["a folder beside the workspace"], "socket-link")
    return talks(socket.AF_UNIX, "socket-link")


@attempt("a Unix socket, through /proc/self/root")
def _():
    # a path in an address ends at 108 bytes
    os.symlink("/proc/self/root" + PLACE["unix"]["HOME"], "socket-root")
    return talks(socket.AF_UNIX, "socket-root")


@attempt("an abstract Unix socket")
def _():
    return talks(socket.AF_UNIX, b"\0" + PLACE["abstract"].encode())


@attempt("a Unix socket of the server's")
def _():
    def answers(name):
        os.symlink(f"{PLACE['server_folder']}/{name}", "server-" + name.replace("/", "-"))
        with socket.socket(socket.AF_UNIX) as visitor:
            visitor.connect("server-" + name.replace("/", "-"))
            return True

    return first_that(answers, PLACE["server_sockets"])


@attempt("packets of any kind", needs_root=True, may_lack=True)
def _():
    return makes(socket.AF_PACKET, socket.SOCK_RAW)


@attempt("raw addresses", needs_root=True)
def _():
    return makes(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)


@attempt("raw addresses of IPv6", needs_root=True, may_lack=True)
def _():
    return makes(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)


NETLINK = {"sock_diag": 4, "selinux": 7, "audit": 9, "connector": 11, "netfilter": 12, "kobject_uevent": 15, "generic": 16}
for name, protocol in NETLINK.items():

    @attempt(f"netlink: {name}", may_lack=True)
    def _():
        return makes(socket.AF_NETLINK, socket.SOCK_RAW, protocol)


@attempt("netlink: changing the network", needs_root=True, may_lack=True)
def _():
    # RTM_NEWLINK: takes down an interface that isn't there would say ENODEV; without the right it is EPERM
    link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    body = struct.pack("BxHiII", 0, 0, 1, 0, 0)
    link.send(struct.pack("IHHII", 16 + len(body), 16, 5, 1, 0) + body)
    error = struct.unpack("i", link.recv(1000)[16:20])[0]
    if error:
        raise OSError(-error, os.strerror(-error))
    return True


FAMILIES = {
    "AX25": 3, "X25": 9, "KEY": 15, "PPPOX": 24, "LLC": 26, "CAN": 29, "TIPC": 30, "BLUETOOTH": 31, "RXRPC": 33, "ISDN": 34,
    "PHONET": 35, "IEEE802154": 36, "ALG": 38, "NFC": 39, "VSOCK": 40, "KCM": 41, "QIPCRTR": 42, "SMC": 43, "XDP": 44,
    "MCTP": 45, "RDS": 21,
}
for name, family in FAMILIES.items():

    @attempt(f"sockets of the family {name}", may_lack=True)
    def _():
        return first_that(
            lambda kind: makes(family, kind),
            [socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET, socket.SOCK_RDM],
        )


@attempt("a pair of sockets of another family", may_lack=True)
def _():
    pair = (ctypes.c_int * 2)()
    return check(libc.socketpair(30, 1, 0, pair)) == 0


@attempt("the network of another process", needs_root=True, may_lack=True)
def _():
    return check(libc.setns(os.open(f"/proc/{PLACE['server']}/ns/net", os.O_RDONLY), 0)) == 0
