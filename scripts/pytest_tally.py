"""A pytest plugin that writes one outcome a test, as JSON, to the file that PY_EXECUTOR_TALLY names."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import pytest


class _Skip(TypedDict, total=False):
    reason: str


class Outcome(_Skip):
    """What became of one test: `state` is passed, failed or skipped; a skipped one has a reason."""

    name: str
    state: str


class Tally:
    """Collects the outcomes while pytest runs."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._outcomes: list[Outcome] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file or class that fails or is skipped before it has given any test."""
        if report.failed:
            self._outcomes.append({"name": f"{report.nodeid} (collection)", "state": "failed"})
        elif report.skipped:
            self._skipped(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One report a phase: the call tells the outcome unless the set-up or tear-down ends it."""
        if report.failed:
            phase = "" if report.when == "call" else f" ({report.when})"
            self._outcomes.append({"name": report.nodeid + phase, "state": "failed"})
        elif report.skipped:
            self._skipped(report)
        elif report.when == "call":
            self._outcomes.append({"name": report.nodeid, "state": "passed"})

    def pytest_sessionfinish(self) -> None:
        """Nothing is written when pytest crashes, which tells `npm test` that it did."""
        self._file.write_text(json.dumps(self._outcomes), encoding="utf-8")

    def _skipped(self, report: pytest.CollectReport | pytest.TestReport) -> None:
        expected_failure: str | None = getattr(report, "wasxfail", None)
        if expected_failure is not None:
            reason = f"known failure: {expected_failure}"
        elif isinstance(report.longrepr, tuple):
            # The third part is the message; pytest puts this word before the reason that the test gave.
            reason = report.longrepr[2].replace("Skipped: ", "", 1)
        else:
            reason = "no reason given"
        self._outcomes.append({"name": report.nodeid, "state": "skipped", "reason": reason})


def pytest_configure(config: pytest.Config) -> None:
    """Starts the tally."""
    # Taken out of the environment, so that tests and what they start don't see it.
    file = os.environ.pop("PY_EXECUTOR_TALLY", None)
    if file is not None:
        config.pluginmanager.register(Tally(Path(file)), "tally")
