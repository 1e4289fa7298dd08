"""What one run shows: from its begin to its end, within limits."""

from __future__ import annotations

import _thread
import sys
from os import getpid

from . import imports, limits
from .own import load

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any, Callable

    from .part import Part

    #: Takes a kind and its fields. See `begin`.
    Send = Callable[[str, dict[str, Any]], None]

_builtins: Any = sys.modules["builtins"]


class Run:
    """What a run has shown so far."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.pid = getpid()
        self.displays = 0
        self.bytes = 0
        self.left_out = 0
        self.lock = _thread.RLock()  # a signal handler may show something while something is shown
        #: By name: the last state of displays that were replaced. Only that one is of interest, at the end.
        self.updates: dict[str, tuple[str, Part]] = {}
        #: By thread: where displays go while a value displays itself.
        self.collectors: dict[int, list[Part]] = {}


_run: Run | None = None


def begin(send: Send) -> None:
    """Begins a run: `display` becomes a builtin, and libraries that show something show it here.

    Args:
        send: called in the thread that shows something, with a kind and its fields. `display`: `source` (`display`,
            `result` or `figure`), `data` (by MIME type, str or bytes), `originals` (the same, for what `data` has in a
            smaller size), `metadata` (by MIME type), `notes` (a list of str), and `display_id` if it has one.
            `update`: the same, in the place of the display with that `display_id`; at the end, as it is then. `clear`: `wait` (until the next
            display); what was shown is to be forgotten. `note`: `text`.
    """
    global _run
    _run = Run(send)
    _builtins.display = display
    imports.watch()


def prepare() -> None:
    """In a template: sees to the libraries that are imported there, and loads what shows their values."""
    imports.see_to_imported()
    load("protocol")
    for library, module in (("matplotlib", "figures"), ("pandas", "tables"), ("numpy", "arrays")):
        if library in sys.modules:
            load(module)


def finish(*, close_figures: bool = False, show_figures: bool = True) -> None:
    """Ends a run: shows the figures that are still open, and tells what was left out. Raises nothing.

    Args:
        close_figures: closes them, so that the next cell of a session begins with none.
        show_figures: False where there is no time to draw: they stay open.
    """
    global _run
    run = _run
    if run is None or run.pid != getpid():
        return
    try:
        helpers: Any = sys.modules.get("matplotlib._pylab_helpers")
        if show_figures and helpers is not None and helpers.Gcf.figs:
            load("pyplot").show_open_figures(close_figures)
    except BaseException as error:  # also what only looks like an exit: the script is over
        _send_note(run, f"Open figures could not be shown: {describe(error)}")
    try:
        for display_id, (source, part) in run.updates.items():
            _send(run, "update", source, part, display_id)
    except BaseException:
        pass  # the run's supervisor is gone
    if run.left_out:
        _send_note(
            run,
            f"{run.left_out} more displays were left out: a run shows at most {limits.DISPLAYS}, "
            f"of {limits.RUN_BYTES // 2**20} MiB in all. Write the rest to files.",
        )
    _run = None


def is_on() -> bool:
    """Whether there is a run, and this is its process, not one that it has forked."""
    return _run is not None and _run.pid == getpid()


def is_full() -> bool:
    """Whether a further display would be left out; then it is counted as such."""
    run = _run
    if run is None or run.collectors:
        return run is None
    if run.displays < limits.DISPLAYS and run.bytes < limits.RUN_BYTES:
        return False
    run.left_out += 1
    return True


def show_result(value: object) -> None:
    """Shows the value that a script ends in, if there is more to it than its repr. Raises nothing."""
    try:
        if type(value).__module__ == "builtins" or not is_on():
            return
        protocol = load("protocol")
        if protocol.is_rich(value):
            show(value, "result")
    except BaseException as error:
        if _run is not None:
            _send_note(_run, f"The result could not be shown: {describe(error)}")


def display(
    *values: object,
    include: Any = None,  # noqa: ANN401
    exclude: Any = None,  # noqa: ANN401
    metadata: dict[str, Any] | None = None,
    display_id: Any = None,  # noqa: ANN401
    raw: bool = False,
    clear: bool = False,
    update: bool = False,
    **_: object,
) -> Any:  # noqa: ANN401
    """Shows values: pictures, tables, charts, HTML … Called as IPython's function of that name is.

    Args:
        include: MIME types that are wanted; all, if None.
        exclude: MIME types that aren't.
        metadata: by MIME type.
        display_id: a name under which the display can be replaced later; True for a new one.
        raw: the values are dicts of MIME types and data already.
        clear: what was shown before is forgotten.
        update: replaces the display of that name.

    Returns:
        With a `display_id`: an object with `update(value)`.
    """
    if not is_on():
        print(*values)
        return None
    if clear:
        clear_output(wait=True)
    if update and not display_id:
        raise TypeError("display_id required for update_display")  # as IPython says it
    handle = load("handles").handle(display_id) if display_id else None
    if handle is not None and not values and not raw:
        values, raw = ({},), True
    for value in values:
        show(
            value,
            "display",
            include=include,
            exclude=exclude,
            metadata=metadata,
            display_id=None if handle is None else handle.display_id,
            raw=raw,
            kind="update" if update else "display",
        )
    return handle


def show(
    value: object,
    source: str,
    *,
    display_id: str | None = None,
    kind: str = "display",
    unless: Callable[[Part], bool] | None = None,
    **how: object,
) -> None:
    """Shows one value.

    Args:
        source: see `begin`.
        display_id: the name of the display.
        kind: `display` or `update`.
        unless: whether a part is not to be shown after all.
        how: see `protocol.bundle_of`.
    """
    if kind == "display" and is_full():
        return
    for part in load("protocol").bundle_of(value, **how):
        if source == "result" and part.is_plain:
            continue  # the result's text is that already
        if unless is not None and unless(part):
            continue
        _emit(part, source, kind, display_id)


def clear_output(wait: bool = False) -> None:
    """Tells that what was shown is to be forgotten."""
    run = _run
    if run is not None and is_on():
        with run.lock:
            run.displays = 0
            run.updates.clear()
            run.send("clear", {"wait": bool(wait)})


def collect(action: Callable[[], object]) -> list[Part]:
    """What an action of this thread displays."""
    run = _run
    if run is None:
        return []
    thread = _thread.get_ident()
    outer = run.collectors.get(thread)
    collected: list[Part] = []
    run.collectors[thread] = collected
    try:
        action()
    finally:
        if outer is None:
            del run.collectors[thread]
        else:
            run.collectors[thread] = outer
    return collected


def describe(error: BaseException) -> str:
    """An exception in one line; its message may come from the user's code, and raise another."""
    try:
        return f"{type(error).__name__}: {error}"[: limits.NOTE_CHARS]
    except BaseException:
        return type(error).__name__


def _emit(part: Part, source: str, kind: str, display_id: str | None) -> None:
    run = _run
    if run is None:
        return
    collected = run.collectors.get(_thread.get_ident())
    if collected is not None:
        if len(collected) < limits.DISPLAYS:
            collected.append(part)
        return
    with run.lock:
        if kind == "update" and display_id is not None:
            if len(run.updates) < limits.DISPLAYS or display_id in run.updates:
                part.bound(limits.RUN_BYTES)
                run.updates[display_id] = source, part
            return
        if run.displays >= limits.DISPLAYS:
            run.left_out += 1
            return
        run.displays += 1
        _send(run, kind, source, part, display_id)


def _send(run: Run, kind: str, source: str, part: Part, display_id: str | None) -> None:
    run.bytes += part.bound(limits.RUN_BYTES - run.bytes)
    fields: dict[str, Any] = {"source": source, **part.fields()}
    if display_id is not None:
        fields["display_id"] = display_id
    run.send(kind, fields)


def _send_note(run: Run, text: str) -> None:
    try:
        with run.lock:
            run.send("note", {"text": text})
    except BaseException:
        pass  # the run's supervisor is gone
