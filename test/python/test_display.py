"""What a run shows: values as bundles of MIME types, within limits, whatever the user's code does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from display_process import each_shown, shown

#: The smallest PNG: one transparent pixel.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def test_what_is_no_more_than_its_repr_is_not_shown(tmp_path: Path) -> None:
    codes = ("", "3", "[1, 2]", "object()", "print", "import math\nmath", "1/0")
    assert shown(*codes, folder=tmp_path, fails=True).sent == []


def test_display_shows_each_value_by_its_repr_if_there_is_no_more_to_it(tmp_path: Path) -> None:
    run = shown(
        "import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\ndisplay({'a': 1}, P(2))",
        folder=tmp_path,
    )
    assert [one["data"] for one in run.displays] == [
        {"text/plain": "{'a': 1}"},
        {"text/plain": "P(x=2)"},
    ]
    assert [one["source"] for one in run.displays] == ["display", "display"]


def test_a_value_shows_itself_by_the_methods_of_the_convention(tmp_path: Path) -> None:
    methods = {
        "_repr_html_": ("text/html", "<b>é</b>"),
        "_repr_markdown_": ("text/markdown", "*x*"),
        "_repr_svg_": ("image/svg+xml", "<svg/>"),
        "_repr_latex_": ("text/latex", "$x$"),
        "_repr_jpeg_": ("image/jpeg", b"\xff\xd8"),
        "_repr_json_": ("application/json", '{"a":[1,null]}'),
    }
    codes = [
        "class A:\n    def __repr__(self): return 'A!'\n"
        f"    def {method}(self): return {content if mime != 'application/json' else {'a': [1, None]}!r}\nA()"
        for method, (mime, content) in methods.items()
    ]
    runs = each_shown(*codes, folder=tmp_path)
    assert [run.only["data"] for run in runs] == [
        {mime: content, "text/plain": "A!"} for mime, content in methods.values()
    ]
    assert {run.only["source"] for run in runs} == {"result"}


def test_pictures_may_be_base64_and_their_size_is_told(tmp_path: Path) -> None:
    code = f"class A:\n    def _repr_png_(self): return {PIXEL!r}, {{'width': 9}}\nA()"
    one = shown(code, folder=tmp_path).only
    assert one["data"]["image/png"].startswith(b"\x89PNG")
    assert one["metadata"]["image/png"] == {"width": 1, "height": 1, "scaled": False}


def test_a_bundle_comes_before_single_methods(tmp_path: Path) -> None:
    code = (
        "class A:\n"
        "    def _repr_mimebundle_(self, include=None, exclude=None):\n"
        "        return {'text/html': 'bundle', 'text/plain': 'p', 'x/y': {'z': 1}}, {'text/html': {'k': 1}}\n"
        "    def _repr_html_(self): return 'single'\n"
        "    def _repr_latex_(self): return '$x$'\n"
        "A()"
    )
    one = shown(code, folder=tmp_path).only
    assert one["data"] == {
        "text/html": "bundle",
        "text/plain": "p",
        "x/y": '{"z":1}',
        "text/latex": "$x$",
    }
    assert one["metadata"] == {"text/html": {"k": 1}}


def test_a_value_may_display_itself_as_other_values(tmp_path: Path) -> None:
    code = "class A:\n    def _ipython_display_(self):\n        display(1)\n        display(2)\nA()"
    assert [one["data"]["text/plain"] for one in shown(code, folder=tmp_path).displays] == [
        "1",
        "2",
    ]


@pytest.mark.parametrize("method", ["_repr_html_", "_repr_mimebundle_", "_ipython_display_"])
def test_an_error_in_a_method_becomes_a_note(method: str, tmp_path: Path) -> None:
    code = (
        f"class A:\n    def {method}(self, **_): raise ValueError('why')\n"
        "    def _repr_markdown_(self): return 'fine'\ndisplay(A())\nprint('on')"
    )
    run = shown(code, folder=tmp_path)
    assert run.only["data"]["text/markdown"] == "fine"
    assert run.only["notes"] == [f"A.{method} raised ValueError: why"]
    assert run.stdout == "on\n"


def test_a_result_that_raises_to_end_the_program_is_a_note(tmp_path: Path) -> None:
    errors = ("SystemExit(3)", "KeyboardInterrupt", "BaseException")
    codes = [f"class A:\n    def _repr_html_(self): raise {error}\nA()" for error in errors]
    run = shown(*codes, folder=tmp_path)
    assert [kind for kind, _ in run.sent] == ["note"] * 3
    assert all(one["text"].startswith("The result could not be shown: ") for _, one in run.sent)


def test_an_object_that_has_every_attribute_is_shown_as_its_repr(tmp_path: Path) -> None:
    code = "class A:\n    def __getattr__(self, name): return lambda *_, **__: '<b>'\ndisplay(A())"
    assert list(shown(code, folder=tmp_path).only["data"]) == ["text/plain"]


def test_a_class_is_not_asked_for_what_its_objects_have(tmp_path: Path) -> None:
    code = "class A:\n    def _repr_html_(self): return 'x'\ndisplay(A)\nA"
    one = shown(code, folder=tmp_path).only
    assert (list(one["data"]), one["notes"]) == (["text/plain"], [])


def test_types_can_be_chosen(tmp_path: Path) -> None:
    code = (
        "class A:\n    def _repr_html_(self): return 'h'\n    def _repr_latex_(self): return 'l'\n"
        "display(A(), include=['text/html'])\ndisplay(A(), exclude=['text/html'])\n"
        "display({'text/html': 'raw'}, raw=True)"
    )
    types = [sorted(one["data"]) for one in shown(code, folder=tmp_path).displays]
    assert types == [["text/html", "text/plain"], ["text/latex", "text/plain"], ["text/html"]]


def test_displays_beyond_the_limit_are_counted(tmp_path: Path) -> None:
    run = shown("for number in range(60): display(number)", folder=tmp_path)
    assert [one["data"]["text/plain"] for one in run.displays] == [str(n) for n in range(50)]
    assert run.sent[-1][0] == "note"
    assert run.sent[-1][1]["text"].startswith(
        "10 more displays were left out: a run shows at most 50"
    )


def test_what_is_too_large_is_left_out_with_a_note(tmp_path: Path) -> None:
    code = "class A:\n    def _repr_html_(self): return 'x' * 9_000_000\nA()"
    one = shown(code, folder=tmp_path).only
    assert list(one["data"]) == ["text/plain"]
    assert one["notes"] == ["Left out: text/html of 9000000 bytes, which is more than is kept."]


def test_all_displays_together_are_bounded(tmp_path: Path) -> None:
    code = "for _ in range(12): display({'text/html': 'x' * 8_000_000}, raw=True)"
    run = shown(code, folder=tmp_path)
    sizes = [len(one["data"].get("text/html", "")) for one in run.displays]
    assert sum(sizes) <= 48 * 1024 * 1024
    assert sizes.count(8_000_000) == 6


def test_long_text_is_cut(tmp_path: Path) -> None:
    one = shown("display('x' * 30_000)", folder=tmp_path).only
    assert (len(one["data"]["text/plain"]), one["metadata"]) == (
        20_000,
        {"text/plain": {"cut": True}},
    )


def test_a_display_is_replaced_by_its_last_state_at_the_end(tmp_path: Path) -> None:
    code = "handle = display('begin', display_id='a')\nfor n in range(99): handle.update(n)\ndisplay('x')"
    run = shown(code, folder=tmp_path)
    told = [(kind, one["data"]["text/plain"], one.get("display_id")) for kind, one in run.sent]
    assert told == [("display", "'begin'", "a"), ("display", "'x'", None), ("update", "98", "a")]


def test_a_process_that_the_code_has_forked_prints_instead(tmp_path: Path) -> None:
    code = (
        "import os\npid = os.fork()\nif pid == 0:\n    display('child')\n    os.sys.stdout.flush()\n"
        "    os._exit(0)\nos.waitpid(pid, 0)\ndisplay('parent')"
    )
    run = shown(code, folder=tmp_path)
    assert run.stdout == "child\n"
    assert run.only["data"]["text/plain"] == "'parent'"


def test_display_can_be_imported(tmp_path: Path) -> None:
    folder = Path(__file__).resolve().parents[2] / "python"
    code = f"import sys\nsys.path.append({str(folder)!r})\nfrom py_executor.showing import display\ndisplay(5)"
    assert shown(code, folder=tmp_path).only["data"] == {"text/plain": "5"}


def test_modules_of_the_user_are_not_taken_for_those_of_the_library(tmp_path: Path) -> None:
    code = (
        "import os, sys\nos.mkdir('py_executor_runtime')\nsys.path.insert(0, '.')\n"
        "for name in 'py_executor_runtime/__init__.py', 'protocol.py', 'limits.py':\n"
        "    with open(name, 'w') as file: file.write('raise ValueError')\n"
        "class A:\n    def _repr_html_(self): return 'x'\nA()"
    )
    assert shown(code, folder=tmp_path).only["data"]["text/html"] == "x"


def test_an_error_in_a_module_that_is_waited_for_has_no_frame_of_ours(tmp_path: Path) -> None:
    (tmp_path / "matplotlib").mkdir()
    (tmp_path / "matplotlib" / "__init__.py").write_text("1 / 0\n")
    code = "import sys\nsys.path.insert(0, '.')\nimport matplotlib"
    run = shown(code, folder=tmp_path, fails=True)
    assert "ZeroDivisionError" in run.stderr
    assert "exec_module" not in run.stderr
    assert "py_executor" not in run.stderr


def test_a_module_that_is_waited_for_may_be_something_else(tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("value = 4\n")
    code = "import sys\nsys.path.insert(0, '.')\nimport matplotlib\nprint(matplotlib.value)"
    run = shown(code, folder=tmp_path)
    assert (run.stdout, run.stderr, run.sent) == ("4\n", "", [])


def test_the_loader_of_a_module_that_was_waited_for_is_as_ever(tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("")
    code = (
        "import sys\nsys.path.insert(0, '.')\nimport matplotlib\n"
        "print(type(matplotlib.__spec__.loader).__name__, 'exec_module' in vars(matplotlib.__loader__))"
    )
    assert shown(code, folder=tmp_path).stdout == "SourceFileLoader False\n"


def test_json_has_what_it_can(tmp_path: Path) -> None:
    code = "class A:\n    def _repr_json_(self): return {'a': {1, }, 'b': 'é\\ud800'}\nA()"
    text = shown(code, folder=tmp_path).only["data"]["application/json"]
    assert json.loads(text) == {"a": "{1}", "b": "é\ud800"}


def test_representations_of_one_value_are_bounded(tmp_path: Path) -> None:
    code = "display({**{f'text/x-{n}': 'x' for n in range(1000)}, 'text/plain': 'p'}, raw=True)"
    one = shown(code, folder=tmp_path).only
    assert list(one["data"]) == [*(f"text/x-{n}" for n in range(19)), "text/plain"]
    assert one["notes"] == ["Left out: 981 representations, beyond 20."]


def test_a_value_whose_type_can_t_be_asked_is_no_more_than_a_note(tmp_path: Path) -> None:
    code = (
        "class M(type):\n    @property\n    def __module__(cls): raise RuntimeError('no')\n"
        "class A(metaclass=M): pass\nA()"
    )
    run = shown(code, folder=tmp_path)
    assert run.sent == [("note", {"text": "The result could not be shown: RuntimeError: no"})]


def test_an_update_needs_a_name(tmp_path: Path) -> None:
    run = shown("display(1)\ndisplay(2, update=True)", folder=tmp_path, fails=True)
    assert run.only["data"]["text/plain"] == "1"
    assert "TypeError: display_id required for update_display" in run.stderr


def test_a_signal_handler_may_show_something_while_something_is_shown(tmp_path: Path) -> None:
    code = """
import signal, threading
class Slow:
    def _repr_html_(self):
        signal.raise_signal(signal.SIGALRM)
        return "outer"
class During(dict):
    def items(self):
        signal.raise_signal(signal.SIGALRM)
        return super().items()
signal.signal(signal.SIGALRM, lambda *_: display("inner"))
display(Slow())
for number in range(3): display(number, metadata={"text/plain": During(a=1)})
"""
    texts = [one["data"]["text/plain"] for one in shown(code, folder=tmp_path).displays]
    assert [text for text in texts if text in ("0", "1", "2")] == ["0", "1", "2"]
    assert texts.count("'inner'") >= 1


def test_threads_may_show_something_at_once(tmp_path: Path) -> None:
    code = """
import threading
def show(name):
    for number in range(6): display({"text/plain": f"{name}-{number}", "text/html": name * 50_000}, raw=True)
threads = [threading.Thread(target=show, args=(name,)) for name in "abcd"]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
    displays = shown(code, folder=tmp_path).displays
    assert sorted(one["data"]["text/plain"] for one in displays) == [
        f"{name}-{number}" for name in "abcd" for number in range(6)
    ]
    for one in displays:
        assert one["data"]["text/html"] == one["data"]["text/plain"][0] * 50_000
