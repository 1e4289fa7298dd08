"""What a process is to be confined to, as the server says it: JSON that `src/sandbox/spec.ts` writes."""

from __future__ import annotations

import json

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any


class Spec:
    """The server's policy with everything resolved. All paths are absolute and free of symbolic links.

    Attributes:
        root: the server's private folder; runs must not see it.
        writable: what a run may write.
        protected: within that, what it may read only.
        readable: what is to be seen although it lies in a folder that is hidden.
        hidden: files and folders of which nothing is to be seen.
        sockets: Unix sockets of others, which nobody may connect to.
        temporary: folders in whose place a run finds an empty one of its own.
        network: "none", "all", or "proxy" for what the proxy lets through.
        proxy: path of the proxy's socket, for "proxy".
        direct: hosts that are reached without it.
        temp_bytes: the most that a run may keep in its temporary folders.
        memory_bytes: the most memory of all its processes together.
        processes: the most processes and threads.
        open_files: the most open files of a process.
        file_bytes: the largest file.
        cpu_seconds: processor time of a process; 0 is no limit.
        layers: what is to be used of "namespaces", "landlock", "seccomp".
        missing: why each other layer is not in force.
        is_strict: whether all that is wanted must be had.
    """

    def __init__(self, text: str) -> None:
        """Raises ValueError or KeyError for what is no specification."""
        fields: dict[str, Any] = json.loads(text)
        self.text = text
        self.root: str = fields["root"]
        self.writable: list[str] = fields["writable"]
        self.protected: list[str] = fields["protected"]
        self.readable: list[str] = fields["readable"]
        self.hidden: list[str] = fields["hidden"]
        self.sockets: list[str] = fields["sockets"]
        self.temporary: list[str] = fields["temporary"]
        self.network: str = fields["network"]
        self.proxy: str = fields["proxy"]
        self.direct: list[str] = fields["direct"]
        self.temp_bytes = int(fields["temp_bytes"])
        self.memory_bytes = int(fields["memory_bytes"])
        self.processes = int(fields["processes"])
        self.open_files = int(fields["open_files"])
        self.file_bytes = int(fields["file_bytes"])
        self.cpu_seconds = int(fields["cpu_seconds"])
        self.layers: list[str] = fields["layers"]
        self.missing: dict[str, str] = fields.get("missing", {})
        self.is_strict: bool = fields["strict"]

    def uses(self, layer: str) -> bool:
        """Whether a layer is wanted and was found to work here."""
        return layer in self.layers
