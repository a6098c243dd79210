"""The report of a bug in soid: a text file that a person can read before sending it."""

from __future__ import annotations

import contextlib
import os
import platform
import tempfile
import time
import traceback
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from soid.release import version

_PACKAGES = ("bitwuzla", "z3-solver", "cvc5", "typer", "rich", "lark")


def write_report(error: Exception, arguments: list[str]) -> Path | None:
    """Write what happened into the state folder, else into the folder for temporary files; None: neither worked."""
    text = _text(error, arguments)
    name = f"soid-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    for folder in _folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / name
            file.write_text(text, encoding="utf-8")
        except OSError:
            continue
        return file
    return None


def state_folder() -> Path:
    """Where soid keeps reports and what was typed at the prompt; RuntimeError for a user without a home."""
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "soid"


def _folders() -> Iterator[Path]:
    with contextlib.suppress(RuntimeError):  # a user without a home has no such folder
        yield state_folder() / "reports"
    yield Path(tempfile.gettempdir())


def _text(error: Exception, arguments: list[str]) -> str:
    lines = [
        f"soid {version()}, Python {platform.python_version()}, {platform.platform()}",
        *(f"{package} {_version_of(package)}" for package in _PACKAGES),
        f"command: soid {' '.join(repr(word) for word in arguments)}",
        "",
        "".join(traceback.format_exception(error)),
    ]
    return "\n".join(lines)


def _version_of(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"
