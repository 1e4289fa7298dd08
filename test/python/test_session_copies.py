"""Copies of a session: whether they can be made, and that they change nothing of the original."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from session_process import drive, value

UNFORKABLE = {
    "a thread": (
        """import threading
event = threading.Event()
thread = threading.Thread(target=event.wait, name='reader', daemon=True)
thread.start()""",
        "1 thread is alive (reader)",
        "event.set()",
    ),
    "a nameless thread": (
        """import _thread, time
lock = _thread.allocate_lock()
lock.acquire()
_thread.start_new_thread(lock.acquire, ())
time.sleep(0.1)""",
        "1 thread is alive (unnamed)",
        "lock.release()",
    ),
    "a task": (
        "import asyncio\ntask = asyncio.create_task(asyncio.sleep(60))\nawait asyncio.sleep(0)",
        "1 asyncio task is still pending",
        "task.cancel()\nawait asyncio.sleep(0)",
    ),
    "a loop": (
        "import asyncio\nloop = asyncio.new_event_loop()",
        "An event loop or selector",
        "loop.close()",
    ),
    "a context on a device": (
        # what there is to see of torch where there is no device
        """import sys, types
torch = sys.modules['torch'] = types.ModuleType('torch')
torch.cuda = types.SimpleNamespace(is_initialized=lambda: True)""",
        "A CUDA context",
        "del sys.modules['torch']",
    ),
    "a thread of a library": (
        """import ctypes
libc = ctypes.CDLL(None)
pause = ctypes.cast(libc.pause, ctypes.c_void_p)
thread = ctypes.c_ulong()
_ = libc.pthread_create(ctypes.byref(thread), None, pause, None)""",
        "1 thread of a library is alive",
        "libc.pthread_cancel(thread)",
    ),
}


@pytest.mark.skipif(sys.platform != "linux", reason="sessions are forked on Linux only")
@pytest.mark.parametrize(("make", "reason", "end"), UNFORKABLE.values(), ids=list(UNFORKABLE))
def test_a_session_that_would_not_survive_a_fork_says_why(
    make: str, reason: str, end: str, tmp_path: Path
) -> None:
    done = drive(
        tmp_path,
        f"tell(session.why_unforkable())\ntell(cell({make!r}))\ntell(session.why_unforkable())\n"
        f"cell({end!r})\ntell(session.why_unforkable())\n",
    )
    before, made, meanwhile, after = done.told
    assert (before, made, after) == (None, value(None), None)
    assert meanwhile.startswith(reason)
    assert meanwhile.endswith(".")


@pytest.mark.skipif(sys.platform != "linux", reason="sessions are forked on Linux only")
def test_what_the_session_sees_to_itself_is_no_hindrance_to_a_fork(tmp_path: Path) -> None:
    done = drive(
        tmp_path,
        "tell(cell('import asyncio, time\\nawait asyncio.to_thread(time.sleep, 0.01)\\n"
        "await asyncio.to_thread(int, 5)'))\ntell(session.why_unforkable())",
    )
    assert done.told == [value("5"), None]


def test_threads_that_a_library_ends_before_a_fork_are_no_hindrance(tmp_path: Path) -> None:
    pytest.importorskip("numpy", reason="missing: numpy")
    done = drive(
        tmp_path,
        "tell(cell('import numpy as np\\na = np.ones((500, 500))\\nfloat((a @ a)[0, 0])'))\n"
        "tell(session.why_unforkable())",
    )
    assert done.told == [value("500.0"), None]


@pytest.mark.parametrize("handler", ["signal.SIG_IGN", "lambda *_: 1 / 0"])
def test_what_code_does_at_the_end_of_children_does_not_matter(
    handler: str, tmp_path: Path
) -> None:
    pytest.importorskip("numpy", reason="missing: numpy")
    done = drive(
        tmp_path,
        "tell(cell('import numpy as np\\nimport signal\\n"
        f"before = signal.signal(signal.SIGCHLD, {handler})\\n"
        "a = np.ones((500, 500))\\nfloat((a @ a)[0, 0])'))\n"
        "tell(session.why_unforkable())",
    )
    assert done.told == [value("500.0"), None]


@pytest.mark.skipif(sys.platform != "linux", reason="threads are looked at on Linux only")
def test_threads_of_a_library_that_starts_them_again_in_a_fork_do_not_count(tmp_path: Path) -> None:
    make = UNFORKABLE["a thread of a library"][0]
    done = drive(
        tmp_path,
        f"cell({make!r})\nfrom py_executor_runtime import native_threads\n"
        "for _ in range(200):  # until the thread waits\n"
        "    if native_threads.count(('libc.so', 'libc-')) == 0: break\n"
        "    time.sleep(0.05)\n"
        "tell([native_threads.count(), native_threads.count(('libc.so', 'libc-')), "
        "native_threads.count(('libm.so', 'libm-'))])\n",
    )
    assert done.told == [[1, 0, 1]]


def test_a_copy_has_what_the_session_has_and_changes_nothing_of_it(tmp_path: Path) -> None:
    done = drive(
        tmp_path,
        """
cell("import random, tempfile, asyncio\\nx = [1]\\nname = tempfile.mkdtemp()")
def work():
    tell(cell("x.append(2)\\ny = 1\\nx"))
    tell(cell("random.random()"))
    tell(cell("asyncio.run(asyncio.sleep(0, 'ran'))"))
in_copy(work)
in_copy(work)
tell(cell("x, 'y' in globals()"))
tell(session.pid == os.getpid())
""",
    )
    first, second, after = done.told[:3], done.told[3:6], done.told[6:]
    assert first[0] == second[0] == value("[1, 2]")
    assert first[1] != second[1]
    assert first[2] == second[2] == value("'ran'")
    assert after == [value("([1], False)"), True]


def test_a_copy_makes_its_temporary_files_where_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    done = drive(
        tmp_path,
        """
tell(cell("import tempfile\\ntempfile.gettempdir()")[2] == repr(_folder + "/other"))
os.environ["TMPDIR"] = _folder + "/other"
in_copy(lambda: tell(cell("tempfile.gettempdir()")[2] == repr(_folder + "/other")))
""",
    )
    assert done.told == [False, True]


@pytest.mark.skipif(sys.platform != "linux", reason="sessions are forked on Linux only")
def test_a_copy_has_an_event_loop_of_its_own(tmp_path: Path) -> None:
    done = drive(
        tmp_path,
        """
cell("import asyncio\\nloop = asyncio.get_running_loop()\\nawait asyncio.sleep(0)")
def work():
    tell(cell("import asyncio\\nawait asyncio.to_thread(int, 7)"))
    tell(cell("loop.is_closed(), asyncio.get_event_loop() is not loop"))
in_copy(work)
tell(cell("import time\\nawait asyncio.wait_for(asyncio.to_thread(lambda: time.sleep(0.3) or 8), 20)"))
tell(cell("asyncio.get_running_loop() is loop, await asyncio.sleep(0)"))
""",
    )
    assert [told[2] for told in done.told] == ["7", "(True, True)", "8", "(True, None)"]


def test_the_end_of_a_copy_ends_nothing_of_the_session(tmp_path: Path) -> None:
    done = drive(
        tmp_path,
        """
import gc
gc.disable()
cell('''
import atexit, multiprocessing, os, tempfile, weakref
folder = tempfile.TemporaryDirectory()
folders = [tempfile.TemporaryDirectory()]
nested = folders[0].name
named = tempfile.NamedTemporaryFile()
file = open(tempfile.mkdtemp() + "/file", "w")
_ = file.write("once ")
_ = atexit.register(os.write, 1, b"atexit")
session = os.getpid()
class Thing:
    def __del__(self):
        if os.getpid() != session: os.write(1, b"finalised")
kept = Thing()
garbage = Thing()
garbage.self = garbage
del garbage
child = multiprocessing.get_context("fork").Process(target=__import__("time").sleep, args=(60,), daemon=True)
child.start()
''')
def work():
    # names bound anew let go of what they stood for
    cell("folder = named = file = kept = None")
    cell("folders.clear()")
    cell("import gc\\n_ = gc.collect()")
    cell('''
own = open(tempfile.gettempdir() + "/own", "w")
_ = own.write("flushed at the end")
_ = atexit.register(os.write, 1, b"own atexit\\\\n")
''')
    tell(cell("own.name")[2])
in_copy(work)
tell(cell("os.path.isdir(folder.name), os.path.isdir(nested), os.path.exists(named.name), child.is_alive()"))
tell(cell("file.close()\\nopen(file.name).read()"))
tell(cell("child.kill(); open(tempfile.gettempdir() + '/own').read()"))
cell("atexit.unregister(os.write)")
""",
    )
    assert done.told[1:] == [
        value("(True, True, True, True)"), value("'once '"), value("'flushed at the end'"),
    ]  # fmt: skip
    assert done.out == "own atexit\n"
