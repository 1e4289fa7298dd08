"""Ending all that a run has started: processes of each kind are made in a process of their own."""

from __future__ import annotations

import json
import os
import time
from typing import Any

import pytest
from child_process import output_of
from py_executor_runtime import process_tree

if not process_tree.CAN_LIST_CHILDREN:
    pytest.skip("the kernel doesn't list children (CONFIG_PROC_CHILDREN)", allow_module_level=True)

#: `start(work)` forks; `tell(what)` prints for the test; `sleep` is what a process does that goes on.
PRELUDE = """
import json, os, signal, time
from py_executor_runtime import process_tree

def start(work):
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return pid

def sleep():
    time.sleep(60)

def tell(what):
    print(json.dumps(what), flush=True)

def soon(holds):
    give_up_at = time.monotonic() + 10
    while not holds() and time.monotonic() < give_up_at:
        time.sleep(0.01)
    return holds()

reading, writing = os.pipe()
def note_pid():
    os.write(writing, b"%d " % os.getpid())
def noted(count):
    data = b""
    while data.count(b" ") < count:
        data += os.read(reading, 100)
    return [int(pid) for pid in data.split()]
"""


def told(source: str) -> Any:  # noqa: ANN401
    return json.loads(output_of(PRELUDE + source))


def is_soon_gone(pid: int) -> bool:
    give_up_at = time.monotonic() + 10
    while process_tree.is_alive(pid) and time.monotonic() < give_up_at:
        time.sleep(0.01)
    return not process_tree.is_alive(pid)


def test_a_process_is_alive_until_it_ends_not_until_it_is_reaped() -> None:
    assert process_tree.is_alive(os.getpid())
    assert told("""
pid = start(lambda: None)
ended = soon(lambda: not process_tree.is_alive(pid))  # a zombie by then
still_there = os.waitpid(pid, 0)[0] == pid
tell([ended, still_there, process_tree.is_alive(pid)])""") == [True, True, False]


def test_children_are_listed_zombies_included() -> None:
    assert (
        told("""
alive, dead = start(sleep), start(lambda: None)
soon(lambda: not process_tree.is_alive(dead))
tell(sorted(process_tree.children()) == sorted([alive, dead]))
os.kill(alive, 9)""")
        is True
    )


#: Each notes the pid of a process that goes on, which is no plain child.
HIDEOUTS = {
    "a child": "start(lambda: (note_pid(), sleep()))",
    "a grandchild": "start(lambda: (start(lambda: (note_pid(), sleep())), sleep()))",
    "a child of a thread": (
        "import threading\n"
        "start(lambda: (threading.Thread(target=lambda: start(lambda: (note_pid(), sleep()))).start(),"
        " sleep()))"
    ),
    "a session of its own": "start(lambda: (os.setsid(), note_pid(), sleep()))",
    "a group of its own": "start(lambda: (os.setpgid(0, 0), note_pid(), sleep()))",
    "a daemon that has forked twice": (
        "start(lambda: (os.setsid(), start(lambda: (note_pid(), sleep())), os._exit(0)))"
    ),
    "a process that ignores signals": (
        "start(lambda: ([signal.signal(n, signal.SIG_IGN) for n in range(1, 32) if n not in (9, 19)],"
        " note_pid(), sleep()))"
    ),
    "a stopped process": "start(lambda: (note_pid(), os.kill(os.getpid(), signal.SIGSTOP)))",
}


@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in HIDEOUTS.items()])
def test_everything_is_killed_however_it_is_related(make: str) -> None:
    is_over, alive, left = told(f"""
process_tree.adopt_orphans()
{make}
pids = noted(1)
is_over = process_tree.kill_all()
tell([is_over, [p for p in pids if process_tree.is_alive(p)], process_tree.children()])""")
    assert (is_over, alive, left) == (True, [], [])


def test_a_process_that_forks_again_and_again_does_not_escape() -> None:
    assert told("""
process_tree.adopt_orphans()
def flee():
    while True:
        if os.fork():
            os._exit(0)
start(flee)
time.sleep(0.1)
tell([process_tree.kill_all(), process_tree.children()])""") == [True, []]


def test_there_may_be_nothing_to_kill() -> None:
    assert told("tell([process_tree.kill_all(), process_tree.kill_all()])") == [True, True]


def test_a_process_is_killed_with_its_parent() -> None:
    pid = told("""
def parent():
    own_pid = os.getpid()
    start(lambda: (process_tree.die_with_parent(own_pid), note_pid(), sleep()))
    sleep()
pid = start(parent)
[grandchild] = noted(1)
tell(grandchild)
os.kill(pid, 9)
os.waitpid(pid, 0)""")
    assert is_soon_gone(pid)


def test_a_process_whose_parent_is_gone_already_ends_itself() -> None:
    assert (
        told("""
def orphan():
    soon(lambda: os.getppid() != parent)
    process_tree.die_with_parent(parent)
    os._exit(7)
def leave():
    global parent
    parent = os.getpid()
    start(orphan)
process_tree.adopt_orphans()
os.waitpid(start(leave), 0)
tell(os.waitstatus_to_exitcode(os.waitpid(-1, 0)[1]) if hasattr(os, "waitstatus_to_exitcode") else 0)
""")
        == 0
    )


def test_orphans_are_killed_with_all_below_them_and_the_known_are_left() -> None:
    alive, orphans = told("""
process_tree.adopt_orphans()
own = start(sleep)
middle = start(lambda: (start(lambda: (note_pid(), start(lambda: (note_pid(), sleep())), sleep()))))
orphans = noted(2)
os.waitpid(middle, 0)
soon(lambda: len(process_tree.children()) == 2)
process_tree.kill_orphans(known={own})
gone = soon(lambda: not any(map(process_tree.is_alive, orphans)))
tell([process_tree.is_alive(own), [p for p in orphans if process_tree.is_alive(p)]])
os.kill(own, 9)""")
    assert (alive, orphans) == (True, [])


@pytest.mark.parametrize(
    ("others", "is_only"), [("", True), ("start(sleep)", False), ("start(lambda: None)", False)]
)
def test_a_child_that_is_about_to_end_is_ended_and_others_are_seen(
    others: str, is_only: bool
) -> None:
    assert told(f"""
pid = start(sleep)
{others}
time.sleep(0.1)
tell([process_tree.end_only_child(pid), process_tree.is_alive(pid)])
process_tree.kill_all()""") == [is_only, False]


def test_children_are_waited_for_but_not_for_ever() -> None:
    in_time, patience, alive = told("""
start(lambda: time.sleep(0.2))
begun = time.monotonic()
process_tree.wait_for_children(30)
in_time = time.monotonic() - begun < 20 and not process_tree.children()
pid = start(sleep)
begun = time.monotonic()
process_tree.wait_for_children(0.3)
tell([in_time, time.monotonic() - begun >= 0.3, process_tree.is_alive(pid)])
os.kill(pid, 9)""")
    assert (in_time, patience, alive) == (True, True, True)


def test_descriptors_above_the_own_ones_are_closed() -> None:
    assert (
        told("""
highest = max(reading, writing)
strangers = [os.open(os.devnull, os.O_RDONLY) for _ in range(5)]
os.dup2(strangers[0], 300)
process_tree.close_strangers(highest)
def is_open(fd):
    try:
        return bool(os.fstat(fd))
    except OSError:
        return False
tell([fd for fd in (0, 1, 2, reading, writing, *strangers, 300) if is_open(fd)] == [0, 1, 2, reading, writing])
""")
        is True
    )


def test_shared_memory_that_was_forgotten_is_removed_by_its_tracker_first() -> None:
    name, is_over = told("""
process_tree.adopt_orphans()
def forget():
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the tracker complains
    from multiprocessing import shared_memory
    made = shared_memory.SharedMemory(create=True, size=100)
    os.write(writing, made.name.encode())
    os.kill(os.getpid(), signal.SIGKILL)
os.waitpid(start(forget), 0)
name = os.read(reading, 100).decode()
tell([name, process_tree.kill_all()])""")
    assert is_over
    assert not os.path.exists(f"/dev/shm/{name.lstrip('/')}")
