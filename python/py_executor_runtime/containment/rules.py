"""Which files a place for runs may use, as Landlock rules: the second line behind the view, and the first where there is none."""

from __future__ import annotations

import os
import stat
import time

from . import landlock
from .spec import Spec

_DEVICES = ("null", "zero", "full", "random", "urandom", "ptmx", "pts")
#: Seconds for which a new or renamed file beside something hidden is not trusted. Programs replace credentials by writing
#: another file and renaming it, and a rule that names the file by its first name would go with it (landlock(7)).
_SETTLING = 10


def enforce(spec: Spec, temp: str) -> None:
    """Puts the rules into force in this process.

    What is hidden is left out by allowing everything beside it: a rule can only allow, and covers all that is below. So a
    file that appears later beside something hidden, or shortly before, is denied, which errs on the safe side.

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
        _allow_beside(rules, path, hidden)
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
        if path not in inside and not _is_unsettled(path):
            _allow_beside(rules, path, inside)


def _is_unsettled(path: str) -> bool:
    """Whether what lies at a path may soon be something else, or be elsewhere: links, and files that have just come."""
    try:
        status = os.lstat(path)
    except OSError:
        return True
    if stat.S_ISLNK(status.st_mode):
        return True
    return stat.S_ISREG(status.st_mode) and time.time() - status.st_ctime < _SETTLING
