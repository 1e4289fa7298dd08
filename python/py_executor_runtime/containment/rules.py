"""Which files a place for runs may use, as Landlock rules: the second line behind the view, and the first where there is none."""

from __future__ import annotations

import os

from . import landlock
from .spec import Spec

_DEVICES = ("null", "zero", "full", "random", "urandom", "ptmx", "pts")


def enforce(spec: Spec, temp: str) -> None:
    """Puts the rules into force in this process.

    What is hidden is left out by allowing everything beside it: a rule can only allow, and covers all that is below. So a
    file that appears later beside something hidden is denied, which errs on the safe side.

    Args:
        spec: what to confine to.
        temp: the folder for temporary files.
    """
    rules = landlock.Ruleset(landlock.version())
    has_view = spec.uses("namespaces")
    hidden = (
        [*spec.hidden, "/dev"] if has_view else [*spec.hidden, *spec.temporary, spec.root, "/dev"]
    )
    _allow_beside(rules, "/", hidden)
    for path in spec.readable:
        rules.allow(path, landlock.READ)
    for path in [*spec.writable, temp]:
        rules.allow(path, landlock.WRITE)
    if has_view:
        for path in (*spec.temporary, "/dev/shm"):
            rules.allow(path, landlock.WRITE)
    rules.allow("/dev", landlock.LIST)
    for name in _DEVICES:
        rules.allow(f"/dev/{name}", landlock.DEVICE)
    rules.enforce()


def _allow_beside(rules: landlock.Ruleset, folder: str, hidden: list[str]) -> None:
    """Allows reading all in a folder but what is hidden; its names may be listed."""
    prefix = "/" if folder == "/" else f"{folder}/"
    inside = [path for path in hidden if path.startswith(prefix)]
    if not inside:
        rules.allow(folder, landlock.READ)
        return
    rules.allow(folder, landlock.LIST)
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        path = prefix + name
        if path not in inside and not os.path.islink(path):
            _allow_beside(rules, path, inside)
