"""What long runs leave unknown is listed at their end."""

from __future__ import annotations

from typing import Any, Final

#: under which a test notes an unknown
LISTED: Final = "unknown"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The unknowns that the tests have noted, from whichever process."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, ())]
    noted = [value for report in reports for name, value in report.user_properties if name == LISTED]
    if noted:
        terminalreporter.section(f"unknown: {len(noted)}")
        for words in noted:
            terminalreporter.line(words)
