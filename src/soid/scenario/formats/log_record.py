"""LogRecord: one step of a log in any format, with the values as written, and errors that name file and line."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn, final

from msgspec import Struct

from soid.errors import TraceError

Literal = bool | str  # numbers stay text, so that each is rounded once, to its variable's own type


@final
class LogRecord(Struct, frozen=True):
    """One step of the log, not yet checked against an interface."""

    line: int  # where it begins
    cells: dict[str, Literal]  # path as the log writes it -> value
    paths_line: int  # the line with the paths: the same line, or a table's header


def fail(file: str, line: int, problem: str, remedy: str = "") -> NoReturn:
    raise TraceError(f"{file}:{line}: {problem}", remedy)


def read_text(path: Path) -> str:
    """The file's text, without a byte order mark."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise TraceError(f"{path}: there is no such log", "Name the log's file.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TraceError(f"{path}: cannot be read: {reason}", "Name a log that can be read.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fail(str(path), line, f"byte {error.start} of the file is not UTF-8", "Save the log as UTF-8.")


def quoted(text: str) -> str:
    """A text from the log for a message: on one line, and shortened."""
    shown = text if text.isprintable() and text.strip() else ascii(text)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."
