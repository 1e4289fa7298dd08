"""The process that a session is: it runs cells as they are ordered, and forks itself where a copy is wanted.

The user's code lives here. What supervises it is `session_host`, in another process.
"""

from __future__ import annotations

import os
import sys

from . import display, finish, input_files, json_values, standard_input, wire
from .display_link import DisplaySender
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
        open_input("")
        os.dup2(self.output, 1)
        os.dup2(self.errors, 2)
        highest = os.sysconf("SC_OPEN_MAX") - 1
        for name, wanted in (("reports", _REPORTS_FD), ("orders", _ORDERS_FD)):
            fd = getattr(self, name)
            if fd >= 0:
                moved = min(wanted, highest - (wanted == _ORDERS_FD))
                os.dup2(fd, moved, inheritable=False)
                os.close(fd)
                setattr(self, name, moved)
        os.close(self.output)
        os.close(self.errors)


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
        actions[order["op"]](state, order, passed)
        del order, received
        received = _receive(state.channel)


def _receive(channel: OrderChannel) -> tuple[Order, list[int]] | None:
    while True:
        try:
            return channel.receive()
        except OSError:
            return None
        except BaseException:
            pass  # a handler that the code has left behind (a timer's, say) has raised while nothing of it runs


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
    if os.getpid() != session.pid:  # the code has forked, and this is the new process
        finish.end_process(ending, None)
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
    fields: dict[str, wire.Value] = {}
    if order["json_bytes"] and ending.exit_code == 0:
        fields.update(json_values.describe_list(ending.value, order["json_bytes"]))
    session.show(ending)
    if ending.value is not None:
        text, is_cut = session.represent(ending.value, order["result_chars"])
        fields.update(result=text, result_truncated=int(is_cut))
    ending.value = None
    imports = finish.new_packages()
    if imports:
        fields["imports"] = ",".join(imports)
    if ending.denial:
        fields["denial"] = ending.denial
    return fields


def _list_variables(state: _State, _order: Order, _passed: list[int]) -> None:
    import json

    listing: Any = state.session.variables(_VARIABLES_LISTED)
    send_report(state.reports, {"variables": json.dumps(listing), "exit_code": 0})


def _run_copy(state: _State, order: Order, passed: list[int]) -> None:
    """Runs code in a copy of this process, which ends with it."""
    reports, output, errors = passed
    if not _fork(state, reports):
        for fd in passed:
            os.close(fd)
        return
    state.channel.close()
    os.close(state.reports)
    descriptors = Descriptors(-1, reports, output, errors)
    descriptors.take_over()
    session = state.session
    _settle(state, order)
    if not _prepare(order, descriptors.reports):
        os._exit(1)
    display.begin(DisplaySender(descriptors.reports))
    ending = session.run_cell(order["code"], order["script"])
    own_reports = descriptors.reports if os.getpid() == session.pid else None
    if own_reports is not None:
        send_report(own_reports, _describe(session, ending, order))
    ending.value = None
    finish.end_process(ending, own_reports)


def _fork_session(state: _State, order: Order, passed: list[int]) -> None:
    """Makes a copy of this process a session of its own."""
    orders, reports, output, errors = passed
    if not _fork(state, reports):
        for fd in passed:
            os.close(fd)
        return
    state.channel.close()
    os.close(state.reports)
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
    reason = state.session.why_unforkable()
    if reason is not None:
        send_report(reports, {"refused": reason})
        return False
    pid = os.fork()
    if pid > 0:
        os.waitpid(pid, 0)
        return False
    if os.fork() > 0:
        os._exit(0)
    send_report(reports, {"pid": os.getpid()})
    return True
