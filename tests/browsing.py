"""The browser that the tests of pages drive: where it is, and what is said where there is none."""

from __future__ import annotations

import os
import shutil

import pytest

#: what Chromium is called, in the order in which it is looked for
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FOLDER = "tests/browser/"
MISSING = "no Chromium was found"


def chromium() -> str | None:
    """The browser's program; SOID_CHROMIUM names another."""
    named = os.environ.get("SOID_CHROMIUM")
    return named or next((found for name in _NAMES if (found := shutil.which(name))), None)


def is_required() -> bool:
    """Whether a machine without a browser is at fault: so it is where changes are checked before they are merged."""
    return os.environ.get("SOID_BROWSER") == "required"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says loudly which tests were left out, and how to get them."""
    skipped = terminalreporter.getreports("skipped")
    left_out = [each.nodeid for each in skipped if each.nodeid.startswith(_FOLDER) and MISSING in str(each.longrepr)]
    if not left_out:
        return
    terminalreporter.section("THE PAGE WAS NOT TESTED", sep="!", red=True, bold=True)
    terminalreporter.line(f"{MISSING}, so these {len(left_out)} tests were left out:")
    for name in left_out:
        terminalreporter.line(f"  {name}")
    terminalreporter.line("Debian and Ubuntu have it: apt-get install chromium. SOID_CHROMIUM names one elsewhere.")
