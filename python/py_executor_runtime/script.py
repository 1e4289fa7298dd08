"""Runs a script's code as the interpreter would, and tells how it ended."""

from __future__ import annotations
import __future__

import _ast  # the part of ast that costs nothing
import os
import sys
from types import CodeType, ModuleType, TracebackType

from .containment.denials import classify

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

#: ast.PyCF_ONLY_AST, without importing ast.
PyCF_ONLY_AST = 0x400
#: All flags that `from __future__ import …` may set in a code object; no two share a bit.
FUTURE_FLAGS = sum(
    {getattr(__future__, name).compiler_flag for name in __future__.all_feature_names}
)


class Ending:
    """How a script ended.

    Attributes:
        exit_code: what the process has to end with.
        is_interrupt: an uncaught KeyboardInterrupt: the process has to end by SIGINT instead.
        value: the value of the script's last expression; None if it has none.
        denial: what kind of a limit it may have failed for; see `containment.denials`.
    """

    def __init__(
        self,
        exit_code: int,
        *,
        is_interrupt: bool = False,
        value: object = None,
        denial: str = "",
    ) -> None:
        self.exit_code = exit_code
        self.is_interrupt = is_interrupt
        self.value = value
        self.denial = denial


def run(code: bytes, path: str, module: ModuleType) -> Ending:
    """Runs UTF-8 text as the main module. Whatever the code raises is handled as the interpreter handles it."""
    try:
        ending = Ending(0, value=_execute(code, path, module))
    except SystemExit as error:
        return Ending(exit_code_of(error))
    except BaseException as error:
        report_uncaught(error)
        is_interrupt = type(error) is KeyboardInterrupt
        ending = Ending(1, is_interrupt=is_interrupt, denial=classify(error))
    # as CPython does after the last line, but not after an exit: what runs later finds no name of the file
    for name in ("__file__", "__cached__"):
        vars(module).pop(name, None)
    return ending


def _execute(code: bytes, path: str, module: ModuleType) -> object:
    body, last = compile_apart(code, path)
    names = vars(module)
    exec(body, names)
    return None if last is None else eval(last, names)


def compile_apart(code: bytes, path: str, flags: int = 0) -> tuple[CodeType, CodeType | None]:
    """The script, and its last expression apart from it if it ends in one.

    Args:
        code: UTF-8 text.
        path: the file that tracebacks are to name.
        flags: what `compile` takes as such: features of the future, and which code is allowed.

    Raises:
        SyntaxError, ValueError: it is no Python.
    """
    text = code.decode("utf-8").removeprefix("\ufeff")
    try:
        return _compile_tree(text, path, flags)
    except (RecursionError, MemoryError):  # too deep to be made a tree, yet it may be compiled
        return compile(text, path, "exec", flags, dont_inherit=True), None


def _compile_tree(text: str, path: str, flags: int) -> tuple[CodeType, CodeType | None]:
    tree: Any = compile(text, path, "exec", flags | PyCF_ONLY_AST, dont_inherit=True)
    statement: Any = tree.body[-1] if tree.body else None
    if type(statement).__name__ != "Expr" or _is_docstring(tree):
        return compile(tree, path, "exec", flags, dont_inherit=True), None
    del tree.body[-1]
    body = compile(tree, path, "exec", flags, dont_inherit=True)
    expression = _ast.Expression(statement.value)
    flags |= body.co_flags & FUTURE_FLAGS
    return body, compile(expression, path, "eval", flags, dont_inherit=True)


def _is_docstring(tree: Any) -> bool:  # noqa: ANN401
    value = tree.body[0].value if len(tree.body) == 1 else None
    return isinstance(getattr(value, "value", None), str)


def exit_code_of(error: SystemExit) -> int:
    """As CPython's handle_system_exit: None is success, a number is the code, anything else a message."""
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        # the C code takes it as a long and answers -1 where it doesn't fit; the kernel keeps the lowest byte
        return (code if -(2**63) <= code < 2**63 else -1) & 0xFF
    _print_to_stderr(code)
    return 1


def _print_to_stderr(message: object) -> None:
    """As CPython does for an exit with a message: what can't be written to sys.stderr is lost, but for the line end."""
    stream = getattr(sys, "stderr", None)
    try:
        text = str(message)
        if stream is None:
            os.write(2, text.encode("utf-8", "backslashreplace"))
        else:
            stream.write(text)
    except Exception:
        pass
    try:
        stream.write("\n")  # pyright: ignore[reportOptionalMemberAccess]
    except Exception:
        os.write(2, b"\n")


def report_uncaught(error: BaseException) -> None:
    """Calls sys.excepthook as the interpreter does when an exception reaches the top; raises the hook's SystemExit."""
    traceback = _without_own_frames(error.__traceback__)
    error.__traceback__ = traceback
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, traceback
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    if not hasattr(sys, "excepthook"):
        print("sys.excepthook is missing", file=sys.stderr)
        sys.__excepthook__(type(error), error, traceback)
        return
    try:
        sys.excepthook(type(error), error, traceback)
    except SystemExit:
        raise
    except BaseException as second:
        second.__traceback__ = _without_own_frames(second.__traceback__)
        second.__context__ = None
        print("Error in sys.excepthook:", file=sys.stderr)
        sys.__excepthook__(type(second), second, second.__traceback__)
        print("\nOriginal exception was:", file=sys.stderr)
        sys.__excepthook__(type(error), error, traceback)


def _without_own_frames(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
        traceback = traceback.tb_next
    return traceback
