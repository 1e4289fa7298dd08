"""What works here is found out by trying: a denial is told, and a fault of ours never passes for one."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from child_process import output_of

if TYPE_CHECKING:
    from pathlib import Path

if sys.platform != "linux":
    pytest.skip("missing: Linux", allow_module_level=True)

#: Prints what is missing, or what was raised. `answer_to_unshare` has the kernel answer unshare(2) otherwise (seccomp(2)).
PRELUDE = """
import ctypes, json, os, struct
from py_executor_runtime.containment import kernel, probe, seccomp
from py_executor_runtime.containment.spec import Spec

def answer_to_unshare(action):
    number = {"x86_64": 272, "aarch64": 97}[os.uname().machine]
    steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, action), (0x06, 0, 0, 0x7FFF0000)]
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    program = Program(len(steps), code)
    kernel.prctl(22, 2, ctypes.addressof(program))

def tell(fields):
    try:
        found = probe.find_missing(Spec(fields), json.loads(fields)["root"])
    except RuntimeError as error:
        found = {"raised": str(error)}
    print(json.dumps(found))
"""
EPERM = 0x00050001
KILL_PROCESS = 0x80000000


def missing(folder: Path, *, answer: int | None = None, **fields: object) -> dict[str, Any]:
    """What the probe finds missing of namespaces for a specification that confines to nothing in particular."""
    nothing: list[str] = []
    spec = {
        "root": str(folder),
        "writable": nothing,
        "protected": nothing,
        "readable": nothing,
        "hidden": nothing,
        "sockets": nothing,
        "temporary": ["/tmp"],
        "network": "none",
        "proxy": "",
        "direct": nothing,
        "temp_bytes": 1 << 20,
        "memory_bytes": 1 << 30,
        "processes": 50,
        "open_files": 100,
        "file_bytes": 1 << 20,
        "cpu_seconds": 0,
        "layers": ["namespaces"],
        "strict": False,
        **fields,
    }
    first = "" if answer is None else f"answer_to_unshare({answer})\n"
    found: dict[str, Any] = json.loads(
        output_of(f"{PRELUDE}{first}tell({json.dumps(spec)!r})", cwd=folder)
    )
    return found


def need_namespaces(folder: Path) -> None:
    found = missing(folder)
    if found:
        pytest.skip(f"missing: user namespaces ({found})")


def test_what_the_system_denies_is_missing_with_its_reason(tmp_path: Path) -> None:
    assert missing(tmp_path, answer=EPERM)["namespaces"].startswith("[Errno 1] unshare")


def test_what_the_system_kills_for_is_missing(tmp_path: Path) -> None:
    assert "killed" in missing(tmp_path, answer=KILL_PROCESS)["namespaces"]


def test_a_fault_of_ours_is_raised_and_is_no_missing_layer(tmp_path: Path) -> None:
    need_namespaces(tmp_path)
    found = missing(tmp_path, temporary=[7])  # a specification that the server can't have written
    assert list(found) == ["raised"]
    assert "TypeError" in found["raised"]


def test_a_fault_in_the_last_step_is_raised_too(tmp_path: Path) -> None:
    need_namespaces(tmp_path)
    found = missing(tmp_path, network="proxy", direct=[7])
    assert list(found) == ["raised"]
    assert "TypeError" in found["raised"]
