"""What is told of the names that a session's code has bound."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from session_process import drive, run_cells, value


def test_names_are_those_that_the_code_has_bound(tmp_path: Path) -> None:
    done = drive(
        tmp_path,
        "cell('import json, math as m\\nfrom os.path import join\\nx = _y = 1\\ndef f(): pass\\n"
        "class C: pass\\n5')\ntell(sorted(session.names()))",
    )
    assert done.told == [["C", "f", "join", "x"]]


def test_variables_have_types_sizes_and_short_values(tmp_path: Path) -> None:
    done = drive(
        tmp_path,
        'cell(\'import collections\\nclass P:\\n    def __repr__(self): return "a P"\\n'
        'n = 5\\ntext = "a" * 1000\\np = P()\\nd = collections.OrderedDict()\')\n'
        "tell(session.variables(100))",
    )
    listed = {entry["name"]: entry for entry in done.told[0]}
    assert list(listed) == ["P", "n", "text", "p", "d"]
    assert listed["n"] == {
        "name": "n", "type": "int", "size": sys.getsizeof(5), "shape": None, "value": "5",
    }  # fmt: skip
    assert (listed["text"]["size"], len(listed["text"]["value"])) == (sys.getsizeof("a" * 1000), 80)
    assert (listed["p"]["type"], listed["p"]["value"]) == ("P", "a P")
    assert listed["d"]["type"] == "collections.OrderedDict"
    assert listed["P"]["type"] == "type"


def test_of_too_many_variables_the_largest_are_listed(tmp_path: Path) -> None:
    done = drive(
        tmp_path,
        "cell('big = bytes(9000)\\na = b = c = 1\\nlarge = bytes(8000)\\nd = 1')\n"
        "tell([entry['name'] for entry in session.variables(2)])",
    )
    assert done.told == [["big", "large"]]


def test_a_listing_survives_objects_that_misbehave(tmp_path: Path) -> None:
    done = run_cells(tmp_path, HOSTILE)
    assert done.told == [value(None)]
    body = (
        f"cell({HOSTILE!r})\ninterrupt_when_ready()\n"
        "tell([entry['name'] for entry in session.variables(100)])\ntell(sorted(session.names()))"
    )
    told = drive(tmp_path, body).told[1:]
    expected = ["Bad", "Meta", "Strange", "bad", "good", "slow", "strange"]
    assert [sorted(told[0]), [name for name in told[1] if name != "Slow"]] == [
        sorted([*expected, "Slow"]),
        expected,
    ]


HOSTILE = r"""
class Bad:
    def __repr__(self): raise SystemExit
    def __sizeof__(self): raise KeyboardInterrupt
    def __getattribute__(self, name): raise ValueError(name)
class Meta(type):
    def __getattribute__(cls, name): raise ValueError(name)
class Strange(metaclass=Meta): pass
class Slow:
    def __repr__(self):
        globals().get("__builtins__").ready()
        while True: pass
bad, strange, slow, good = Bad(), Strange(), Slow(), 1
globals()[5] = 1
globals()["\ud800"] = 1
globals()["a" * 10_000] = 1
"""


def test_arrays_tell_their_shape_and_size(tmp_path: Path) -> None:
    pytest.importorskip("pandas", reason="missing: pandas")
    done = drive(
        tmp_path,
        "cell('import numpy as np, pandas as pd\\na = np.zeros((100, 3))\\ns = np.float64(2)\\n"
        'df = pd.DataFrame({"x": range(1000)})\\nclass Own(pd.DataFrame): pass\\n'
        'own = Own({"x": [1]})\\nindex = pd.Index([1, 2])\')\n'
        "tell(session.variables(100))",
    )
    listed = {entry["name"]: entry for entry in done.told[0]}
    assert listed["a"] == {
        "name": "a", "type": "numpy.ndarray", "size": 2400, "shape": "(100, 3)", "value": None,
    }  # fmt: skip
    assert (listed["df"]["type"], listed["df"]["shape"]) == ("pandas.DataFrame", "(1000, 1)")
    assert 8000 <= listed["df"]["size"] < 9000
    assert (listed["own"]["type"], listed["own"]["shape"]) == ("Own", "(1, 1)")
    assert listed["s"]["value"] == "np.float64(2.0)" or listed["s"]["value"] == "2.0"
    assert listed["index"]["shape"] == "(2,)"
    assert listed["Own"]["shape"] is None
