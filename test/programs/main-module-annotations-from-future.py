# With the future import annotations stay text.
"""Docstring after the comment."""
from __future__ import annotations

undefined_type: DoesNotExist = None


def work(value: Missing, *rest: list[int]) -> Also.Missing:
    return value


print(__annotations__, work.__annotations__, __doc__)
