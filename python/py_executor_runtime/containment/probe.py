"""Finds out which layers of containment work here, by trying each in a process that is thrown away."""

from __future__ import annotations

import os

from . import environment, kernel, landlock, namespaces, remedies, seccomp
from .place import Place
from .spec import Spec

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Callable


#: What a process tells that was denied nothing, and what it puts before what is no answer of the system's.
_DONE, _FAULT = "done", "fault: "


def find_missing(spec: Spec, folder: str) -> dict[str, str]:
    """Why each layer that is wanted can't be had; empty if all can.

    Args:
        spec: what to confine to.
        folder: as in `environment.furnish`.

    Raises:
        RuntimeError: trying failed by a fault of ours, which must not pass for a layer that the system denies.
    """
    missing: dict[str, str] = {}
    attempts: dict[str, Callable[[], None]] = {
        "namespaces": lambda: _try_namespaces(spec, folder),
        "landlock": _try_landlock,
        "seccomp": _try_seccomp,
    }
    for layer, attempt in attempts.items():
        if spec.uses(layer):
            reason = _reason_in_child(attempt)
            if reason and layer == "namespaces":
                reason = f"{reason} ({remedies.for_namespaces()})"
            if reason:
                missing[layer] = reason
    if spec.uses("landlock") and "landlock" not in missing and landlock.version() < landlock.SCOPED:
        missing["signals"] = (
            "Landlock keeps signals and abstract sockets within a run from Linux 6.12 on"
        )
    return missing


def _try_namespaces(spec: Spec, folder: str) -> None:
    """All that `launch` and a place do: a system may allow the first step and deny the second (AppArmor)."""
    namespaces.enter_new(network=spec.network != "all")
    _run_in_child(lambda: Place(spec, folder, environment.furnish(spec, folder)).enter_namespaces())


def _try_landlock() -> None:
    if landlock.version() == 0:
        raise OSError(
            "it needs Linux 5.13 with landlock in the list of `lsm=` on the kernel's command line"
        )


def _try_seccomp() -> None:
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    seccomp.apply(namespaces=False, families=seccomp.NETWORK_FAMILIES)


def _run_in_child(action: Callable[[], None]) -> None:
    reason = _reason_in_child(action)
    if reason:
        raise OSError(reason)


def _reason_in_child(action: Callable[[], None]) -> str:
    """Why the system denies an action in a process of its own; empty if it doesn't."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writing, _tell(action).encode()[:4000])
        finally:
            os._exit(0)
    os.close(writing)
    told = os.read(reading, 4096).decode("utf-8", "replace")
    os.close(reading)
    os.waitpid(pid, 0)
    if told.startswith(_FAULT):
        raise RuntimeError(told[len(_FAULT) :])
    if not told:
        return "the process that tried it was killed"  # a filter may kill for a call (seccomp(2))
    return "" if told == _DONE else told


def _tell(action: Callable[[], None]) -> str:
    try:
        action()  # this may go on in a further process
    except OSError as error:
        return str(error) or type(error).__name__
    except Exception as error:
        return f"{_FAULT}{type(error).__name__}: {error}"
    return _DONE
