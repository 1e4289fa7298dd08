"""A place for runs: the last step of confinement, after which nothing is left that a run could use against anyone else.

It is entered by the process that supervises runs, before it forks any, so that a run itself costs nothing more.
"""

from __future__ import annotations

import os

from .. import process_tree, wire
from ..interpreter import describe
from ..run_folder import remove_tree
from . import kernel, landlock, limits, mounts, namespaces, rules, seccomp, watch
from .egress import Egress
from .open_place import OpenPlace
from .spec import Spec

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

_signal: Any = __import__("_signal")
#: Where `launch` leaves the descriptor that new namespaces are made with.
PROCESSES = 4
#: What makes room for the supervisor and the server when there is more to do than there are processors (sched(7)).
_NICENESS = 10


class Place(OpenPlace):
    """Where runs are confined to what a specification allows."""

    def __init__(self, spec: Spec, folder: str, processes: int = PROCESSES) -> None:
        """Nothing happens before `enter`.

        Args:
            spec: what to confine to.
            folder: the private folder of this interpreter.
            processes: a descriptor from `environment.furnish`, if there are namespaces.
        """
        super().__init__(folder)
        self._spec = spec
        self._processes = processes
        self._traces: tuple[object, ...] = ()
        self._egress: Egress | None = None
        self.is_apart = spec.uses("namespaces")
        self.highest_descriptor = PROCESSES if self.is_apart else 3
        self.layers = ",".join(spec.layers)
        self.missing = "\n".join(f"{layer}: {reason}" for layer, reason in spec.missing.items())
        fields = {**describe(), "layers": self.layers, "missing": self.missing}
        self.greeting = wire.frame(wire.READY, wire.pack_fields(fields))

    def enter(self) -> None:
        """See OpenPlace. In namespaces this ends in a new process, the init process of its own pid namespace
        (pid_namespaces(7)), whose end is the end of everything in it; the old one waits for it, or ends."""
        if self.is_apart:
            self.enter_namespaces()
            self.folder = self._spec.temporary[0]
        else:
            self.folder = f"{self.folder}/{os.urandom(4).hex()}"
            os.mkdir(self.folder, 0o700)
        limits.apply(self._spec)
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        if self._spec.uses("landlock"):
            rules.enforce(self._spec, self.folder)
        # of root's rights, those over files are bounded by the rules, and a workspace may be somebody else's
        kernel.drop_capabilities(keep=() if self.is_apart else kernel.CAPABILITIES_OVER_FILES)
        if self.is_apart:
            _signal.signal(
                _signal.SIGCHLD, _signal.SIG_DFL
            )  # a template leaves its children to the kernel
            self._traces = self._look_for_traces()
        elif (
            self._spec.uses("landlock")
            and landlock.version() >= landlock.SCOPED
            and landlock.is_fenced()
        ):
            process_tree.rely_on_fence()
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
        if self._spec.uses("seccomp"):
            families = seccomp.NO_FAMILIES
            if self.is_apart:
                families = seccomp.NETWORK_FAMILIES
            elif self._spec.network == "all":
                families = seccomp.INTERNET_FAMILIES
            seccomp.apply(namespaces=False, families=families, is_apart=self.is_apart)

    def enter_namespaces(self) -> None:
        """The part of `enter` that a system is most likely to deny; raises OSError if it does."""
        is_init = os.getpid() == 1
        namespaces.enter_new(network=self._spec.network != "all", processes=self._processes)
        os.close(self._processes)
        pid = os.fork()
        if pid > 0:
            if is_init:  # of outer namespaces, which must not end before
                os.closerange(3, self._processes + 1)
                os.waitpid(pid, 0)
            os._exit(0)
        # an init process gets no signal from its own namespace, unless it has a handler for it
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        if self._spec.network != "all":
            namespaces.start_loopback()
        if self._spec.network == "proxy":
            self._egress = Egress(self._spec.proxy, self._spec.direct)
        mounts.make_own_temporary(self._spec)
        mounts.mount_processes()

    def confine_run(self) -> None:
        """See OpenPlace."""
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        # whoever supervises hundreds of busy processes has to get its turn among them
        os.nice(_NICENESS)
        # what supervises it may not be looked at, but its memory must be counted (proc(5), /proc/pid/smaps)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
        if self._egress is not None:
            self._egress.enter_run()
        if not self.is_apart and os.environ.get("MPLCONFIGDIR", "").startswith("/tmp/"):
            os.environ["MPLCONFIGDIR"] = (
                f"{self.folder}/matplotlib"  # no other folder can be written to
            )
        if self._spec.cpu_seconds:
            limits.apply_to_run(self._spec)
        if not self.is_apart:
            self.fence_copy()  # runs share a pid namespace then: each is kept from signalling others

    def fence_copy(self) -> None:
        """See OpenPlace."""
        if self._spec.uses("landlock"):
            landlock.Ruleset(landlock.version(), files=False).enforce()

    def is_clean(self) -> bool:
        """See OpenPlace. What is left in namespaces goes with them: it is not sought out and removed, but left behind."""
        if self.is_apart:
            return self._look_for_traces() == self._traces
        for entry in list(os.scandir(self.folder)):  # a run may write beside its own folder
            if entry.is_dir(follow_symlinks=False):
                remove_tree(entry.path)
            else:
                os.unlink(entry.path)
        return True

    def watch(self) -> watch.Watch:
        """See OpenPlace."""
        return watch.Watch(self._spec, is_apart=self.is_apart)

    def findings(self, *, is_failure: bool) -> dict[str, str]:
        """See OpenPlace."""
        found: dict[str, str] = {}
        if is_failure and self.is_apart and watch.is_full():
            found["full"] = "temporary"
        if self._egress is not None:
            denied = self._egress.denied()
            if denied:
                found["denied_hosts"] = "\n".join(denied)
        return found

    def _look_for_traces(self) -> tuple[object, ...]:
        """What a run can leave behind in its namespaces besides processes: files, System V IPC, sockets that linger, and on
        which processors this process may run."""
        store = os.statvfs(mounts.STORE)
        used = store.f_files - store.f_ffree
        # connections that wait for late packets; the other numbers there are zero by now, or the machine's (sockstat)
        lingering = process_tree.read("/proc/net/sockstat").partition(b" tw ")[2].split(None, 1)[0]
        queues = (
            () if self._spec.uses("seccomp") else kernel.count_ipc()
        )  # the filter lets none be made
        return (used, *queues, lingering, os.sched_getaffinity(0))
