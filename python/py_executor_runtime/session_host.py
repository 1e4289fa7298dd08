"""Supervises sessions: processes that live on from cell to cell, and copies of them that end with what they run.

It stands where `supervisor` stands for plain runs, and like it never runs the user's code. All that belongs to it, the
sessions forked from one another included, is in one place, and ends with the connection to the server.
"""

from __future__ import annotations

import math
import os
import select
import time

from . import process_tree, session_process, wire
from .hosted_process import HostedProcess
from .hosted_task import GONE_SECONDS, HostedTask
from .link import Link
from .orders import OrderChannel
from .run_folder import RunFolder
from .supervisor import COLLECT_BYTES, COLLECT_SECONDS, MAX_UNSENT_BYTES

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Callable

    from .containment.open_place import OpenPlace

#: How often processes are looked for that have ended unseen.
_TICK_SECONDS = 0.5


def serve(connection: int, place: OpenPlace) -> Callable[[], None] | None:
    """Serves until the connection is closed.

    Returns:
        In a forked session process: what it is to do. In the host: None, when nothing is left of any session.
    """
    host = _Host(connection, place)
    try:
        return host.serve()
    finally:
        if os.getpid() == host.pid:
            host.end()


class _Host:
    def __init__(self, connection: int, place: OpenPlace) -> None:
        self.pid = os.getpid()
        self._connection = connection
        self._place = place
        self._processes: dict[int, HostedProcess] = {}
        self._tasks: dict[int, HostedTask] = {}
        self._buried: list[HostedProcess] = []
        self._before_copies: set[int] = set()
        """Daemons of sessions, among others: they are this process's children, as those of copies are."""
        self._parser = wire.FrameParser()
        self._unsent = bytearray()
        self._watch = place.watch()
        self._next_look = time.monotonic()
        self._is_open = True
        os.set_blocking(connection, False)

    def serve(self) -> Callable[[], None] | None:
        action = self._start_first()
        while action is None and self._is_open:
            self._wait()
            for task in list(self._tasks.values()):
                task.advance(time.monotonic())
            self._look_after()
            self._reap()
            self._finish_tasks()
            while self._buried:
                self._forget(self._buried.pop())
            if len(self._unsent) > COLLECT_BYTES:
                self._flush()
        return action

    def end(self) -> None:
        """Ends all that is left, and removes its files."""
        process_tree.kill_all()
        for process in (*self._processes.values(), *self._buried):
            process.folder.remove()
        for task in self._tasks.values():
            task.remove_files()

    def _start_first(self) -> Callable[[], None] | None:
        """Forks the first session process; it has nothing in it yet."""
        link = Link()
        ours, theirs = OrderChannel.pair()
        own_pid = os.getpid()
        pid = os.fork()
        if pid == 0:
            os.close(self._connection)
            process_tree.die_with_parent(own_pid)
            link.keep_runner_ends()
            os.close(link.orders[0])
            os.close(ours)
            self._place.confine_run()
            ends = (theirs, link.reports[1], link.output[1], link.errors[1])
            descriptors = session_process.Descriptors(*ends)
            return lambda: session_process.run(descriptors, self._place)
        os.close(theirs)
        link.keep_supervisor_ends()
        os.close(link.orders[1])
        self._adopt(0, pid, link, ours)
        return None

    def _adopt(self, number: int, pid: int, link: Link, orders: int) -> None:
        folder = RunFolder(self._place.folder)
        os.mkdir(folder.path, 0o700)
        self._processes[number] = HostedProcess(number, pid, link, OrderChannel(orders), folder)

    def _wait(self) -> None:
        now = time.monotonic()
        due = [task.due for task in self._tasks.values()]
        until = min([now + _TICK_SECONDS, self._next_look, *due])
        if self._unsent:
            until = min(until, now + COLLECT_SECONDS)
        poller = select.poll()
        wants_room = select.POLLOUT if len(self._unsent) > COLLECT_BYTES else 0
        poller.register(self._connection, select.POLLIN | wants_room)
        handlers: dict[int, Callable[[], object]] = {}
        is_backed_up = len(self._unsent) > MAX_UNSENT_BYTES
        for task in self._tasks.values():
            handlers.update(task.handlers(with_output=not is_backed_up))
        for process in self._processes.values():
            if process.exits is not None:
                handlers[process.exits] = process.note_exit
        for fd in handlers:
            poller.register(fd, select.POLLIN)
        events = poller.poll(math.ceil(max(0, until - now) * 1000))
        for fd, _ in events:
            if fd == self._connection:
                self._hear_server()
            else:
                handlers[fd]()
        if not events:
            self._flush()

    def _hear_server(self) -> None:
        try:
            data = os.read(self._connection, 1 << 20)
        except BlockingIOError:
            self._flush()
            return
        except OSError:
            data = b""
        if not data:
            self._is_open = False
            return
        for kind, payload in self._parser.push(data):
            fields = wire.unpack_fields(payload)
            if kind == wire.TASK:
                self._begin(fields)
            elif kind == wire.CLOSE:
                self._close(int(fields["process"]))
            elif int(fields["id"]) in self._tasks:
                task = self._tasks[int(fields["id"])]
                if kind == wire.INTERRUPT:
                    task.interrupt()
                else:
                    task.cancel(time.monotonic())

    def _begin(self, fields: dict[str, bytes]) -> None:
        identity = int(fields["id"])
        process = self._processes.get(int(fields["process"]))
        task = HostedTask(identity, fields, process, self._place, self._send)
        if task.is_copy and not any(other.is_copy for other in self._tasks.values()):
            self._before_copies = set(process_tree.descendants())
        self._tasks[identity] = task
        task.begin(time.monotonic())

    def _close(self, number: int) -> None:
        process = self._processes.get(number)
        if process is not None:
            process.kill()
            for task in self._tasks.values():
                if task.process is process and task.is_copy:
                    task.kill()

    def _look_after(self) -> None:
        """Ends everything here if all of it together has outgrown a limit."""
        now = time.monotonic()
        if self._watch is None:
            self._next_look = math.inf
        elif now >= self._next_look:
            outgrown = self._watch.look()
            if outgrown:
                for task in self._tasks.values():
                    task.lose({"end": "limit", "limit": outgrown})
                for process in self._processes.values():
                    process.ending = {"end": "limit", "limit": outgrown}
                    process.kill()
            self._next_look = time.monotonic() + self._watch.interval

    def _reap(self) -> None:
        """Takes note of all that has ended; as init or subreaper this process gets what nobody else waits for."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            code = os.waitstatus_to_exitcode(status)
            for task in self._tasks.values():
                task.note_end(pid, code)
            for process in list(self._processes.values()):
                if process.pid == pid:
                    self._bury(process, code)

    def _bury(self, process: HostedProcess, exit_code: int) -> None:
        ending = process.ending or {"end": "exit", "exit_code": exit_code}
        process.ending = ending
        del self._processes[process.number]
        for task in self._tasks.values():
            task.note_loss(process, ending)
        self._buried.append(process)  # a task may still have to read from it

    def _forget(self, process: HostedProcess) -> None:
        """Tells of its end after those of its tasks, unless one of them was lost with it."""
        if not process.is_told:
            fields: dict[str, wire.Value] = {"process": process.number, **(process.ending or {})}
            self._unsent += wire.frame(wire.DIED, wire.pack_fields(fields))
        process.remove()

    def _finish_tasks(self) -> None:
        for identity, task in list(self._tasks.items()):
            if not task.is_over:
                continue
            del self._tasks[identity]
            link = task.forked_link
            if link is not None:
                self._adopt(task.forked_number, task.pid, link, task.forked_orders)
            if task.is_copy and not any(other.is_copy for other in self._tasks.values()):
                self._sweep(task.pid)
            task.report(time.monotonic())
            self._flush()  # whoever waits for it needn't wait for more output

    def _sweep(self, last: int) -> None:
        """Ends what copies have left behind: all that is no session, wasn't started by one, and was not there before."""
        kept = {process.pid for process in self._processes.values()}
        kept |= {task.pid for task in self._tasks.values()}  # a session that is just being forked
        kept |= {pid for root in kept for pid in process_tree.descendants_of(root)}
        kept |= self._before_copies
        left = [pid for pid in process_tree.descendants() if pid not in kept]
        for pid in left:
            process_tree.kill(pid)
        # the last copy itself is about to end, and its output is not waited for
        process_tree.wait_until_gone([pid for pid in left if pid != last], GONE_SECONDS)

    def _send(self, identity: int, kind: bytes, payload: bytes) -> None:
        self._unsent += wire.frame(wire.MULTIPLEXED, identity.to_bytes(4, "big") + kind + payload)

    def _flush(self) -> None:
        while self._unsent:
            try:
                del self._unsent[: os.write(self._connection, self._unsent)]
            except BlockingIOError:
                return
            except OSError:
                self._is_open = False
                return
