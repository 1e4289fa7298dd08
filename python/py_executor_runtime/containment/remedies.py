"""What to change on a machine where a layer of containment can't be had."""

from __future__ import annotations

_SWITCHES = (
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        b"1",
        "AppArmor keeps it from programs without a profile: `sysctl kernel.apparmor_restrict_unprivileged_userns=0`",
    ),
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        b"0",
        "`sysctl kernel.unprivileged_userns_clone=1` allows it",
    ),
    (
        "/proc/sys/user/max_user_namespaces",
        b"0",
        "`sysctl user.max_user_namespaces=10000` allows it",
    ),
)
_IN_A_CONTAINER = (
    "a container's filter may forbid it: Docker takes `--security-opt seccomp=unconfined --security-opt systempaths=unconfined`, "
    "and the container itself is a boundary then"
)


def for_namespaces() -> str:
    """The switch of this system that stands in the way, as far as one is known."""
    for path, value, remedy in _SWITCHES:
        try:
            with open(path, "rb") as file:
                if file.read().strip() == value:
                    return remedy
        except OSError:
            pass
    return _IN_A_CONTAINER
