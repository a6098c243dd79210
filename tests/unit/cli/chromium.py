"""A browser for the tests of printing: a script that looks like a Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest


def chromium(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str) -> None:
    """`$out` is where the PDF is to be, `$page` the page's address."""
    script = tmp_path / "browser"
    script.write_text(
        "#!/bin/sh\n"
        'for word in "$@"; do case "$word" in\n'
        '--print-to-pdf=*) out="${word#*=}";; file:*) page="${word#file://}";;\n'
        "esac; done\n"
        f"{does}\n"
    )
    script.chmod(0o755)
    monkeypatch.setenv("SOID_CHROMIUM", str(script))
