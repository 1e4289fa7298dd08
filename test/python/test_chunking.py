"""The helpers that snippets import, held to the vectors that the TypeScript ones are held to."""

from __future__ import annotations

import doctest
import json
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable

import py_executor
import pytest
from py_executor import chunk_by_count, chunk_by_size, chunking, suggest_batch_size

ROOT = Path(__file__).resolve().parents[2]
VECTORS: dict[str, Any] = json.loads(
    (ROOT / "test" / "vectors" / "chunking.json").read_text(encoding="utf-8")
)
ERRORS: dict[str, type[Exception]] = {"type": TypeError, "value": ValueError}

SEED = 20240229
ROUNDS = 2_000
# Every kind of character that matters: line ends, 1 to 4 bytes, lone surrogates.
PARTS = [
    *("\n", "\n", "\n\n", "\r\n", "\r", "", "a", "b c", "é", "€", "\u2028", "😀"),
    *("\ud83d", "\ude00"),
]


def vectors(function: str) -> list[Any]:
    return [pytest.param(vector, id=vector["name"]) for vector in VECTORS[function]]


def check(vector: dict[str, Any], key: str, call: Callable[[], object]) -> None:
    """Demand the vector's value, or an error of its type whose message begins as it says."""
    error = vector.get("error")
    if error is None:
        assert call() == vector[key]
        return
    message = re.sub(r"\{(\w+)\}", r"\1", error["message"])
    with pytest.raises(ERRORS[error["type"]], match=f"^{re.escape(message)}"):
        call()


def utf8_bytes(text: str) -> int:
    """Bytes of UTF-8 counted from the code points, so that the tests don't lean on the encoder."""
    return sum(
        1 if ord(c) < 0x80 else 2 if ord(c) < 0x800 else 3 if ord(c) < 0x10000 else 4 for c in text
    )


def some_text(rng: random.Random) -> str:
    return "".join(rng.choices(PARTS, k=rng.randint(0, 60)))


def some_fitting(rng: random.Random) -> tuple[str, int]:
    """Text and a limit that its longest line is within."""
    code = some_text(rng)
    longest = max(utf8_bytes(line) for line in code.split("\n"))
    return code, max(1, longest + rng.randint(0, 20))


@pytest.fixture
def rng() -> random.Random:
    return random.Random(SEED)


@pytest.mark.parametrize("vector", vectors("chunk_by_count"))
def test_chunk_by_count_follows_the_vectors(vector: dict[str, Any]) -> None:
    check(vector, "chunks", lambda: chunk_by_count(vector["items"], vector["n"]))


@pytest.mark.parametrize("vector", vectors("chunk_by_size"))
def test_chunk_by_size_follows_the_vectors(vector: dict[str, Any]) -> None:
    check(vector, "chunks", lambda: chunk_by_size(vector["code"], vector["max_bytes"]))


@pytest.mark.parametrize("vector", vectors("suggest_batch_size"))
def test_suggest_batch_size_follows_the_vectors(vector: dict[str, Any]) -> None:
    names = ("total_items", "complexity")
    arguments = {name: vector[name] for name in names if name in vector}
    check(vector, "size", lambda: suggest_batch_size(**arguments))


def test_count_chunks_join_to_the_items_in_order(rng: random.Random) -> None:
    for _ in range(ROUNDS):
        items = rng.choices(range(10), k=rng.randint(0, 40))
        chunks = chunk_by_count(items, rng.randint(-5, 60))
        assert [item for chunk in chunks for item in chunk] == items


def test_count_chunks_differ_by_at_most_one_and_the_longer_come_first(rng: random.Random) -> None:
    for _ in range(ROUNDS):
        items, n = range(rng.randint(0, 40)), rng.randint(1, 60)
        lengths = [len(chunk) for chunk in chunk_by_count(items, n)]
        assert len(lengths) == min(n, len(items))
        assert lengths == sorted(lengths, reverse=True)
        assert 0 not in lengths
        if lengths:
            assert lengths[0] - lengths[-1] <= 1


def test_count_takes_any_iterable_and_copies() -> None:
    assert chunk_by_count((n * n for n in range(3)), 2) == [[0, 1], [4]]
    assert chunk_by_count({"a": 1, "b": 2}.keys(), 2) == [["a"], ["b"]]
    items = ["a", "b"]
    chunk_by_count(items, 0)[0].append("c")
    chunk_by_count(items, 1)[0].append("c")
    assert items == ["a", "b"]


def test_size_chunks_join_to_the_text(rng: random.Random) -> None:
    for _ in range(ROUNDS):
        code, max_bytes = some_fitting(rng)
        assert "\n".join(chunk_by_size(code, max_bytes)) == code


def test_size_chunks_are_within_the_limit(rng: random.Random) -> None:
    for _ in range(ROUNDS):
        code, max_bytes = some_fitting(rng)
        assert all(utf8_bytes(chunk) <= max_bytes for chunk in chunk_by_size(code, max_bytes))


def test_no_size_chunk_could_take_the_next_ones_first_line_too(rng: random.Random) -> None:
    for _ in range(ROUNDS):
        code, max_bytes = some_fitting(rng)
        chunks = chunk_by_size(code, max_bytes)
        for chunk, following in zip(chunks, chunks[1:]):
            longer = chunk + "\n" + following.split("\n")[0]
            assert utf8_bytes(longer) > max_bytes


def test_size_refuses_exactly_the_texts_with_a_line_over_the_limit(rng: random.Random) -> None:
    refused = 0
    for _ in range(ROUNDS):
        code, max_bytes = some_text(rng), rng.randint(1, 24)
        sizes = [utf8_bytes(line) for line in code.split("\n")]
        over = [(number, size) for number, size in enumerate(sizes, 1) if size > max_bytes]
        if over:
            refused += 1
            number, size = over[0]
            with pytest.raises(ValueError, match=f"^line {number} is {size} bytes"):
                chunk_by_size(code, max_bytes)
        else:
            chunk_by_size(code, max_bytes)
    assert 0 < refused < ROUNDS


def test_size_limit_is_500000_bytes_unless_said_otherwise() -> None:
    assert len(chunk_by_size("a" * 500_000)) == 1
    assert len(chunk_by_size("a" * 499_998 + "\nb")) == 1
    assert len(chunk_by_size("a" * 499_999 + "\nb")) == 2
    with pytest.raises(ValueError, match=r"^line 1 is 500001 bytes"):
        chunk_by_size("a" * 500_001)


@pytest.mark.parametrize("max_bytes", [1, 1_000, 500_000])
def test_size_takes_linear_time_for_lines_up_to_1_mib(max_bytes: int) -> None:
    # Of the processor, well under a second when linear. By steps, so that a quadratic one fails instead of hanging.
    for lines in (8_192, 32_768, 131_072, 524_288):
        code = "x\n" * lines
        before = time.process_time()
        chunks = chunk_by_size(code, max_bytes)
        assert time.process_time() - before < 2
        same = "\n".join(chunks) == code  # a bare assert would diff a megabyte on failure
        assert same


def test_suggestion_stays_within_its_bounds(rng: random.Random) -> None:
    for _ in range(ROUNDS):
        total = rng.randint(-10, 20)
        low, medium, high, other = (
            suggest_batch_size(total, word) for word in ("low", "medium", "high", "other")
        )
        assert max(0, min(1, total)) <= high <= medium == other <= low <= max(0, min(4, total))


class Whole:
    """A whole number that is no int, as numpy's are."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


def test_whole_numbers_of_other_libraries_are_taken_and_plain_ints_given_back() -> None:
    two: Any = Whole(2)
    assert chunk_by_count("abc", two) == [["a", "b"], ["c"]]
    assert chunk_by_size("ab\nc", two) == ["ab", "c"]
    assert type(suggest_batch_size(two)) is int
    assert suggest_batch_size(two) == 2


@pytest.mark.parametrize("wrong", [None, "2", float("nan"), float("inf"), 2.0, [1]])
def test_anything_that_is_no_whole_number_is_refused_by_name(
    wrong: Any,  # noqa: ANN401 - any type at all is the point
) -> None:
    kind = type(wrong).__name__
    with pytest.raises(TypeError, match=f"^n must be a whole number, got {kind}$"):
        chunk_by_count(["a"], wrong)
    with pytest.raises(TypeError, match=f"^max_bytes must be a whole number, got {kind}$"):
        chunk_by_size("a", wrong)
    with pytest.raises(TypeError, match=f"^total_items must be a whole number, got {kind}$"):
        suggest_batch_size(wrong)


def test_the_package_is_typed_and_exports_exactly_the_helpers() -> None:
    assert (ROOT / "python" / "py_executor" / "py.typed").is_file()
    assert sorted(py_executor.__all__) == ["chunk_by_count", "chunk_by_size", "suggest_batch_size"]
    assert all(callable(getattr(py_executor, name)) for name in py_executor.__all__)


def test_importing_the_helpers_does_not_import_typing() -> None:
    code = """
import sys
sys.path.insert(0, sys.argv[1])
import py_executor
print("typing" in sys.modules)
"""
    # -S: a .pth file of an installed package may import typing itself.
    command = [sys.executable, "-S", "-c", code, str(ROOT / "python")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_examples_in_the_docstrings_are_true() -> None:
    result = doctest.testmod(chunking)
    assert result.attempted >= 4
    assert result.failed == 0
