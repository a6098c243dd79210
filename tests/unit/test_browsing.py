"""A machine without a browser: the tests of pages are left out loudly, or are at fault where a browser is required."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests import browsing


class Reporter:
    """What pytest tells the reader."""

    def __init__(self, *skipped: tuple[str, str]) -> None:
        self.said: list[str] = []
        self._skipped = [SimpleNamespace(nodeid=name, longrepr=("conftest.py", 1, why)) for name, why in skipped]

    def getreports(self, name: str) -> list[Any]:
        return self._skipped if name == "skipped" else []

    def section(self, title: str, **_: object) -> None:
        self.said.append(title)

    def line(self, text: str) -> None:
        self.said.append(text)


def summary(*skipped: tuple[str, str]) -> list[str]:
    reporter: Any = Reporter(*skipped)
    browsing.pytest_terminal_summary(reporter)
    said: list[str] = reporter.said
    return said


def test_what_was_left_out_is_said_with_its_remedy() -> None:
    missing = f"Skipped: {browsing.MISSING}"
    said = summary(("tests/browser/test_crash.py::test_a", missing), ("tests/browser/test_crash.py::test_b", missing))
    assert said[0] == "THE PAGE WAS NOT TESTED"
    assert "2 tests" in said[1] and said[2:4] == [
        "  tests/browser/test_crash.py::test_a",
        "  tests/browser/test_crash.py::test_b",
    ]
    assert "apt-get install chromium" in said[-1]


def test_nothing_is_said_where_nothing_was_left_out_for_want_of_a_browser() -> None:
    assert summary() == []
    assert summary(("tests/unit/test_api.py::test", f"Skipped: {browsing.MISSING}")) == []
    assert summary(("tests/browser/test_crash.py::test", "Skipped: another reason")) == []


def test_the_browser_is_looked_for_where_programs_are(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.delenv("SOID_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert browsing.chromium() is None
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert browsing.chromium() == str(program)
    monkeypatch.setenv("SOID_CHROMIUM", "/opt/browser")
    assert browsing.chromium() == "/opt/browser"


def test_only_this_setting_makes_it_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOID_BROWSER", raising=False)
    assert not browsing.is_required()
    monkeypatch.setenv("SOID_BROWSER", "required")
    assert browsing.is_required()
