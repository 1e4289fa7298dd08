"""A view of the machine for runs: everything read-only, credentials gone, the workspace writable (mount_namespaces(7))."""

from __future__ import annotations

import os

from . import kernel, limits
from .spec import Spec

_READ_ONLY = kernel.MOUNT_ATTR_RDONLY | kernel.MOUNT_ATTR_NOSUID | kernel.MOUNT_ATTR_NODEV
_NOT_TRUSTED = kernel.MOUNT_ATTR_NOSUID | kernel.MOUNT_ATTR_NODEV
_DEVICES = ("null", "zero", "full", "random", "urandom")
_DEVICE_LINKS = {
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
    "ptmx": "pts/ptmx",
}
_OF_PROCESSES = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
#: Where the file system is mounted that holds all temporary folders of a place: for shared memory (shm_overview(7)).
STORE = "/dev/shm"
#: Of the tmpfs that a template and its imports may need.
_TEMPLATE_TEMP_BYTES = 64 * 1024 * 1024
#: Of the one that is mounted over the server's folder: for mount points.
_ROOT_BYTES = 65536
_FEWEST_INODES, _BYTES_AN_INODE = 1024, 8192


def make_view(spec: Spec, folder: str) -> None:
    """Makes the view that a template and all its runs have, in a mount namespace of its own.

    Args:
        spec: what to confine to.
        folder: what is left to see of the server's private folder, besides the proxy.
    """
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    # taken before anything is hidden or made read-only
    shown = _keep(spec.readable, _READ_ONLY)
    usable = _keep(spec.writable, _NOT_TRUSTED) + _keep(spec.protected, _READ_ONLY)
    own = _keep([folder, *([spec.proxy] if spec.proxy else [])], _NOT_TRUSTED)
    devices = _keep([f"/dev/{name}" for name in _DEVICES], 0)
    kernel.set_mount_attributes("/", _READ_ONLY)
    _hide(spec.hidden)
    for path in spec.temporary:
        _mount_empty(path, _TEMPLATE_TEMP_BYTES)
    for kept in (shown, usable):
        # what is hidden in them is uncovered with them
        _put_back([entry for entry in kept if not _is_below(entry[0], spec.root)])
        _hide([path for path in spec.hidden if any(_is_below(path, place) for place, _, _ in kept)])
    os.makedirs(spec.root, exist_ok=True)
    _mount_empty(spec.root, _ROOT_BYTES)
    _put_back([entry for entry in shown + usable if _is_below(entry[0], spec.root)] + own)
    _hide(spec.sockets)  # also in what may be written
    _make_devices(devices)


def make_own_temporary(spec: Spec) -> None:
    """Gives a place for runs its own temporary folders, and hides the server's; see `make_view`."""
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    kept = [
        (path, kernel.clone_tree(path), is_file)
        for path, is_file in _below([*spec.temporary, spec.root], [*spec.readable, *spec.writable])
    ]
    _mount_store(spec.temporary, spec.temp_bytes)
    kernel.mount("devpts", "/dev/pts", "devpts", 0, "newinstance,ptmxmode=0666,mode=620")
    _put_back([entry for entry in kept if not _is_below(entry[0], spec.root)])
    has_root = os.path.isdir(spec.root)  # unless it lies in a folder that has just been made empty
    if has_root:
        _mount_empty(spec.root, _ROOT_BYTES)
    _put_back([entry for entry in kept if _is_below(entry[0], spec.root)])
    if has_root:
        kernel.set_mount_attributes(spec.root, kernel.MOUNT_ATTR_RDONLY, recursive=False)


def mount_processes(bound: int = 0) -> None:
    """Mounts the list of this pid namespace's processes, read-only: /proc/sys stays out of reach (proc(5)).

    Args:
        bound: the most processes and threads in this namespace; 0 for no bound. It can be set once only: below a
            read-only /proc none that can be written to may be mounted.
    """
    if bound:
        kernel.mount("proc", "/proc", "proc", _OF_PROCESSES)
        limits.bound_processes(bound)
        kernel.set_mount_attributes("/proc", kernel.MOUNT_ATTR_RDONLY)
    else:
        kernel.mount("proc", "/proc", "proc", _OF_PROCESSES | kernel.MS_RDONLY)


def open_own_processes() -> int:
    """A descriptor of a /proc of this pid namespace that can be written to, and has nothing in it but processes.

    It is mounted nowhere: who forks a process into a user namespace needs it, and nobody else has it.
    """
    kernel.mount("proc", "/proc", "proc", _OF_PROCESSES, "subset=pid")
    tree = kernel.clone_tree("/proc")
    kernel.unmount("/proc")
    return tree


def _keep(paths: list[str], attributes: int) -> list[tuple[str, int, bool]]:
    """Copies of what is mounted at paths: the path, a descriptor, and whether it is a file."""
    kept: list[tuple[str, int, bool]] = []
    for path in sorted(paths):  # outer ones first
        if os.path.exists(path):
            tree = kernel.clone_tree(path)
            if attributes:
                kernel.set_mount_attributes(tree, attributes)
            kept.append((path, tree, not os.path.isdir(path)))
    return kept


def _below(folders: list[str], paths: list[str]) -> list[tuple[str, bool]]:
    """Those of the paths that lie in one of the folders, outer ones first, and whether each is a file."""
    inside = tuple(f"{folder}/" for folder in folders)
    return [
        (path, not os.path.isdir(path))
        for path in sorted(paths)
        if path.startswith(inside) and os.path.exists(path)
    ]


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/")


def _put_back(kept: list[tuple[str, int, bool]]) -> None:
    for path, tree, is_file in kept:
        _make_mount_point(path, is_file)
        kernel.attach_tree(tree, path)


def _make_mount_point(path: str, is_file: bool) -> None:
    """In a temporary folder that has just been made empty, what lay there is not there any more."""
    if os.path.exists(path):
        return
    os.makedirs(os.path.dirname(path) if is_file else path, mode=0o755, exist_ok=True)
    if is_file:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))


def _mount_empty(path: str, size: int) -> None:
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    # empty files take memory too, which `size` doesn't count
    inodes = _FEWEST_INODES + size // _BYTES_AN_INODE
    kernel.mount("tmpfs", path, "tmpfs", flags, f"mode=1777,size={size},nr_inodes={inodes}")


def _mount_store(folders: list[str], size: int) -> None:
    """Puts empty folders of one file system in the place of each, so that they share its room, and one look tells all."""
    _mount_empty(STORE, size)
    trees = [(path, _clone_new_folder(f"{STORE}/{index}")) for index, path in enumerate(folders)]
    own = _clone_new_folder(f"{STORE}/shm")
    for path, tree in trees:
        kernel.attach_tree(tree, path)
    kernel.attach_tree(own, STORE)


def _clone_new_folder(path: str) -> int:
    os.mkdir(path)
    os.chmod(path, 0o1777)
    return kernel.clone_tree(path)


def _hide(paths: list[str]) -> None:
    """Puts something empty, which nobody may open, in the place of each."""
    if not paths:
        return
    flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
    source = "/dev/shm"  # any folder that is covered again afterwards
    kernel.mount("tmpfs", source, "tmpfs", flags, "mode=0755,size=4096")
    os.mkdir(f"{source}/folder", 0)
    os.close(os.open(f"{source}/file", os.O_CREAT | os.O_WRONLY, 0))
    for path in paths:
        if os.path.lexists(path):
            tree = kernel.clone_tree(f"{source}/{'folder' if os.path.isdir(path) else 'file'}")
            kernel.set_mount_attributes(tree, _READ_ONLY)
            try:
                kernel.attach_tree(tree, path)
            except FileNotFoundError:
                pass  # it has just been removed


def _make_devices(devices: list[tuple[str, int, bool]]) -> None:
    """A /dev with what any program needs, and no disks."""
    kernel.mount("tmpfs", "/dev", "tmpfs", kernel.MS_NOSUID, "mode=0755,size=65536")
    for name, target in _DEVICE_LINKS.items():
        os.symlink(target, f"/dev/{name}")
    for folder in ("pts", "shm"):
        os.mkdir(f"/dev/{folder}", 0o755)
    for path, _, _ in devices:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    kernel.set_mount_attributes("/dev", kernel.MOUNT_ATTR_RDONLY)
    for path, tree, _ in devices:
        kernel.attach_tree(tree, path)
    kernel.mount("devpts", "/dev/pts", "devpts", 0, "newinstance,ptmxmode=0666,mode=620")
    _mount_empty("/dev/shm", _TEMPLATE_TEMP_BYTES)
