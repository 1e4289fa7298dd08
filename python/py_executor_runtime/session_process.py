"""The process that a session is: it runs cells as they are ordered, and forks itself where a copy is wanted.

The user's code lives here. What supervises it is `session_host`, in another process.
"""

from __future__ import annotations

import os
import sys
from os import close, dup, dup2  # as they are before code can replace them

from . import display, finish, input_files, json_values, standard_input, wire
from .display_link import DisplaySender
from .forking import _exit, fork, getpid, wait_for
from .fresh import look_fresh
from .link import Task, send_report
from .orders import OrderChannel
from .run_folder import open_input
from .runner import new_main_module, rehearse
from .script import Ending
from .session import Session

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any, Callable

    from .containment.open_place import OpenPlace
    from .orders import Order

#: Out of the way, so that a cell's own first file is number 3 as usual.
_REPORTS_FD, _ORDERS_FD = 511, 510
_VARIABLES_LISTED = 200
#: The descriptors that belong to an order.
_PASSED = {"copy": 3, "fork": 4}


class Descriptors:
    """A session process's ends of what connects it with its host.

    Attributes:
        orders: what to do; see `OrderChannel`.
        reports: how it went. Whatever comes there could be forged by the code.
        output: what is written to stdout.
        errors: what is written to stderr.
    """

    def __init__(self, orders: int, reports: int, output: int, errors: int) -> None:
        self.orders = orders
        self.reports = reports
        self.output = output
        self.errors = errors

    def take_over(self) -> None:
        """Puts them where a script expects them, and out of its way."""
        for name in vars(self):
            setattr(self, name, _above_standard_streams(getattr(self, name)))
        open_input("")
        for fd, wanted in ((self.output, 1), (self.errors, 2)):
            dup2(fd, wanted)
            close(fd)
        highest = os.sysconf("SC_OPEN_MAX") - 1
        self.reports = _moved(self.reports, min(_REPORTS_FD, highest))
        self.orders = _moved(self.orders, min(_ORDERS_FD, highest - 1))


def _above_standard_streams(fd: int) -> int:
    """The same as a number that is none of theirs, which a session gets that has closed its own."""
    below: list[int] = []
    while 0 <= fd <= 2:
        below.append(fd)
        fd = dup(fd)
    for number in below:
        close(number)
    return fd


def _moved(fd: int, wanted: int) -> int:
    if fd < 0 or fd == wanted:
        return fd
    dup2(fd, wanted, inheritable=False)
    close(fd)
    return wanted


def run(descriptors: Descriptors, place: OpenPlace) -> None:
    """Serves until the host is gone; ends the process otherwise than by returning where a copy is at its end."""
    os.setsid()
    descriptors.take_over()
    rehearse()
    channel = OrderChannel(descriptors.orders)
    first = _receive(channel)
    if first is None:
        return
    order, _ = first
    _begin(order)
    session = Session(new_main_module(order["script"]))
    _serve(_State(session, channel, descriptors.reports, place), first)


class _State:
    """What a session process works with."""

    def __init__(
        self, session: Session, channel: OrderChannel, reports: int, place: OpenPlace
    ) -> None:
        self.session = session
        self.channel = channel
        self.reports = reports
        self.place = place
        self.send_display = DisplaySender(reports)


def _serve(state: _State, received: tuple[Order, list[int]] | None) -> None:
    actions: dict[str, Callable[[_State, Order, list[int]], None]] = {
        "cell": _run_cell,
        "variables": _list_variables,
        "copy": _run_copy,
        "fork": _fork_session,
    }
    while received is not None:
        order, passed = received
        if len(passed) == _PASSED.get(order["op"], 0):
            actions[order["op"]](state, order, passed)
        else:
            _close_all(
                passed
            )  # no more could be had (RLIMIT_NOFILE); the host sees that the pipes are closed
        del order, received
        state.session.wait_for(state.channel.fileno())
        received = _receive(state.channel)


def _receive(channel: OrderChannel) -> tuple[Order, list[int]] | None:
    try:
        return channel.receive()
    except OSError:
        return None


def _begin(order: Order) -> None:
    os.chdir(order["cwd"])
    task = Task(b"", order["script"], order["cwd"], order["temp"], 0)
    finish.remember_modules(are_noted=look_fresh(task))


def _run_cell(state: _State, order: Order, _passed: list[int]) -> None:
    session = state.session
    if not _prepare(order, state.reports):
        return
    display.begin(state.send_display)
    ending = session.run_cell(order["code"], order["script"])
    fields = _describe(session, ending, order)
    fields["names"] = "\n".join(sorted(session.names()))
    send_report(state.reports, {**fields, "exit_code": ending.exit_code})


def _prepare(order: Order, reports: int) -> bool:
    """Goes where the code is to run, if that was said, and lays out what it is given; returns False, having told why, if
    that can't be done."""
    try:
        if order["cwd"]:
            os.chdir(order["cwd"])
        if order["files"]:
            input_files.write(order["files"])
        standard_input.put(order["stdin"])
    except OSError as error:
        send_report(reports, {"error": str(error)})
        return False
    if order["bindings"]:
        vars(sys.modules["__main__"]).update(json_values.decode_bindings(order["bindings"]))
    return True


def _describe(session: Session, ending: Ending, order: Order) -> dict[str, wire.Value]:
    """What is reported of a cell besides its exit code."""
    _end_if_forked(session, ending)
    fields: dict[str, wire.Value] = {}
    if order["json_bytes"] and ending.exit_code == 0:
        fields.update(json_values.describe_list(ending.value, order["json_bytes"]))
    session.show(ending)
    _end_if_forked(session, ending)
    if ending.value is not None:
        text, is_cut = session.represent(ending.value, order["result_chars"])
        fields.update(result=text, result_truncated=int(is_cut))
        _end_if_forked(session, ending)
    ending.value = None
    imports = finish.new_packages()
    if imports:
        fields["imports"] = ",".join(imports)
    if ending.denial:
        fields["denial"] = ending.denial
    return fields


def _end_if_forked(session: Session, ending: Ending) -> None:
    """Ends a process that code has forked, be it in the `__repr__` of a value: there is one session."""
    if getpid() != session.pid:
        ending.value = None
        session.before_end()
        finish.end_process(ending, None)


def _list_variables(state: _State, _order: Order, _passed: list[int]) -> None:
    import json

    listing: Any = state.session.variables(_VARIABLES_LISTED)
    _end_if_forked(state.session, Ending(0))
    send_report(state.reports, {"variables": json.dumps(listing), "exit_code": 0})


def _run_copy(state: _State, order: Order, passed: list[int]) -> None:
    """Runs code in a copy of this process, which ends with it."""
    reports, output, errors = passed
    if not _fork(state, reports):
        _close_all(passed)
        return
    state.channel.close()
    close(state.reports)
    descriptors = Descriptors(-1, reports, output, errors)
    descriptors.take_over()
    session = state.session
    _settle(state, order)
    if not _prepare(order, descriptors.reports):
        _exit(1)
    display.begin(DisplaySender(descriptors.reports))
    ending = session.run_cell(order["code"], order["script"])
    send_report(descriptors.reports, _describe(session, ending, order))
    session.before_end()
    finish.end_process(ending, descriptors.reports)


def _fork_session(state: _State, order: Order, passed: list[int]) -> None:
    """Makes a copy of this process a session of its own."""
    orders, reports, output, errors = passed
    if not _fork(state, reports):
        _close_all(passed)
        return
    state.channel.close()
    close(state.reports)
    descriptors = Descriptors(orders, reports, output, errors)
    descriptors.take_over()
    state.channel = OrderChannel(descriptors.orders)
    state.reports = descriptors.reports
    state.send_display = DisplaySender(descriptors.reports)
    _settle(state, order)
    send_report(state.reports, {"exit_code": 0})


def _settle(state: _State, order: Order) -> None:
    """In a copy: what it must not share with the original."""
    os.setsid()
    state.place.fence_copy()
    os.environ["TMPDIR"] = order["temp"]
    state.session.after_fork()
    finish.remember_modules()


def _fork(state: _State, reports: int) -> bool:
    """Forks twice, so that the copy is not this process's child but its host's; returns True in the copy."""
    try:
        reason = state.session.why_unforkable()
        if reason is not None:
            send_report(reports, {"refused": reason})
            return False
        pid = fork()
        if pid == 0 and fork() > 0:
            _exit(0)
    except BaseException as error:
        send_report(reports, {"refused": f"no process could be started: {error}"})
        if getpid() != state.session.pid:
            _exit(1)
        return False
    if pid > 0:
        wait_for(pid)
        return False
    send_report(reports, {"pid": getpid()})
    return True


def _close_all(descriptors: list[int]) -> None:
    for fd in descriptors:
        close(fd)
