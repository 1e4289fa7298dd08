"""Values that cross the border as JSON: bound names, and the list that the code ends in."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any

import pytest
from py_executor_runtime.json_values import decode_bindings, describe_list

LIMIT = 1000


def json_of(value: object) -> bytes:
    fields = describe_list(value, LIMIT)
    assert list(fields) == ["json"]
    text = fields["json"]
    assert isinstance(text, bytes)
    return text


def problem_of(value: object) -> str:
    fields = describe_list(value, LIMIT)
    assert list(fields) == ["json_problem"]
    return str(fields["json_problem"])


def test_bindings_are_what_was_written() -> None:
    items: list[Any] = [None, True, 1, 1.5, "é😀\ud800", [[]], {"": {"ä": []}}]
    assert decode_bindings(json.dumps({"items": items}).encode()) == {"items": items}


LISTS: list[list[Any]] = [
    [],
    [1],
    [2**100, -0.5, None, True],
    ["é😀", '"\\\n\0'],
    [{"a": [{}]}],
    [(1, 2), OrderedDict(b=1)],
]


@pytest.mark.parametrize("value", LISTS)
def test_a_list_comes_as_json(value: list[Any]) -> None:
    assert json.loads(json_of(value)) == json.loads(json.dumps(value))


def test_text_stays_short_and_half_a_surrogate_pair_is_escaped() -> None:
    assert json_of(["é", "\ud800"]) == '["é","\\ud800"]'.encode()


def test_a_list_may_be_as_long_as_the_limit_and_no_longer() -> None:
    assert len(json_of(["x" * (LIMIT - 5)])) == LIMIT - 1
    assert f"longer than {LIMIT} bytes" in problem_of(["x" * LIMIT])


def test_a_long_list_is_not_written_to_its_end() -> None:
    assert "longer than" in problem_of(["x" * 100] * 20 + [object()])


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "ended in no value"),
        (5, "type int, not in a list"),
        ((1,), "type tuple"),
        ([{1}], "Object of type set is not JSON serializable"),
        ([float("inf")], "Out of range float"),
        ([{(1, 2): 3}], "keys must be str"),
    ],
)
def test_why_there_is_no_json_is_told(value: object, words: str) -> None:
    assert words in problem_of(value)


def test_a_value_that_misbehaves_is_a_problem_and_no_failure() -> None:
    class Rude(dict[str, int]):
        def items(self) -> Any:  # noqa: ANN401
            raise SystemExit("x" * 10_000)

    assert len(problem_of([Rude(a=1)])) <= 500

    endless: list[Any] = []
    endless.append(endless)
    assert "Circular" in problem_of(endless)
