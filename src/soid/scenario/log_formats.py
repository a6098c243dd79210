"""The formats of logs. Each reader yields LogRecords: a step with its values as the log writes them.

JSON lines have one object for each step. Nested values and flat paths mean the same, and a null is a value that is not
logged. `NaN`, `Infinity` and `-Infinity` are read too: many programs write them, although JSON does not allow them.

    {"step": 3, "error": true, "world": {"agents": [{"pos_x": 1.376}]}}
    {"step": 4, "error": true, "world.agents[0].pos_x": 1.376}
    {"step": 5, "plan'": {"route": [1, 2]}}            the same as "plan.route[0]'": 1, "plan.route[1]'": 2

Tables (CSV as in RFC 4180; tabs in a .tsv file) have a header with the paths, then one row for each step. The separator
is the one of `,`, `;` and tab that the header contains: paths contain none of them. An empty cell is not logged.

    step,error,world.agents[0].pos_x
    3,true,1.376
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import stat
from collections.abc import Iterable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, Final, NoReturn, final

from msgspec import Struct

from soid.allowance import LOOKS, MORE_TIME, look
from soid.errors import TraceError

#: characters of one line of a log
MAX_LINE: Final = 1 << 26

Literal = bool | str  # numbers stay text, so that each is rounded once, to its variable's own type


@final
class LogRecord(Struct, frozen=True):
    """One step of the log, not yet checked against an interface."""

    line: int  # where it begins
    cells: dict[str, Literal]  # path as the log writes it -> value
    paths_line: int  # the line with the paths: the same line, or a table's header


def records(path: Path, ignore: frozenset[str]) -> Iterator[LogRecord]:
    """The records of a log, without values under ignored paths."""
    match path.suffix.lower():
        case ".jsonl" | ".ndjson" | ".json":
            return _json_records(str(path), _lines(path, "\n"), ignore)
        case ".csv" | ".tsv":
            return _table_records(str(path), _lines(path, ""))
        case _:
            raise TraceError(f"{path}: the name does not say what kind of log it is", "Call it .jsonl or .csv.")


def fail(file: str, line: int, problem: str, remedy: str = "") -> NoReturn:
    raise TraceError(f"{file}:{line}: {problem}", remedy)


def quoted(text: str) -> str:
    """A text from the log for a message: on one line, and shortened."""
    shown = text if text.isprintable() and text.strip() else ascii(text)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


def _lines(path: Path, newline: str) -> Iterator[str]:
    """The file's lines with their ends, without a byte order mark; a long log is read bit by bit.

    `newline` says what ends a line, as for `open`.
    """
    with _opened(path) as file, io.TextIOWrapper(file, encoding="utf-8-sig", newline=newline) as text:
        size = os.fstat(file.fileno()).st_size
        count = 0
        try:
            while line := text.readline(MAX_LINE):
                if count % LOOKS == 0:
                    _look(file.tell(), size)
                count += 1
                if len(line) == MAX_LINE:
                    problem = f"the line has {MAX_LINE:,} characters or more"
                    fail(str(path), count, problem, "Give each step a line of its own.")
                yield line
        except UnicodeDecodeError:
            _refuse_encoding(path)


def _opened(path: Path) -> BufferedReader:
    """The file, opened for reading; only a plain file has an end."""
    try:
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            raise TraceError(f"{path}: this is no plain file", "Write the log into a file, and name that.")
        return path.open("rb")
    except FileNotFoundError:
        raise TraceError(f"{path}: there is no such log", "Name the log's file.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TraceError(f"{path}: cannot be read: {reason}", "Name a log that can be read.") from None


def _look(read: int, size: int) -> None:
    share = f"{100 * read / size:.1f} % of it was read. " if size else ""
    look("reading the log", f"{share}{MORE_TIME} Or give the part of the log that the questions are about.")


def _refuse_encoding(path: Path) -> NoReturn:
    """Say where the first byte is that is not UTF-8."""
    at = 0
    with _opened(path) as file:
        for count, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                where = at + error.start
                fail(str(path), count, f"byte {where} of the file is not UTF-8", "Save the log as UTF-8.")
            at += len(line)
    raise TraceError(f"{path}: it changed while it was read", "Give a log that is complete.")


@final
class _Duplicate(ValueError):
    """A JSON object has a key twice."""


def _json_records(file: str, lines: Iterable[str], ignore: frozenset[str]) -> Iterator[LogRecord]:
    for count, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        value = _parse(file, count, line, cut_off=not line.endswith("\n"))
        if not isinstance(value, dict):
            fail(file, count, "the line is no JSON object", 'Write one object a line: {"step": 0, "speed": 1.5, ...}.')
        cells: dict[str, Literal] = {}
        try:
            _flatten(file, count, "", value, ignore, cells)
        except RecursionError:
            _too_deep(file, count)
        yield LogRecord(count, cells, count)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _Duplicate(quoted(next(key for key in keys if keys.count(key) > 1)))
    return unique


#: numbers stay text
_DECODER: Final = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_unique)


def _parse(file: str, line: int, text: str, *, cut_off: bool) -> Any:
    try:
        return _DECODER.decode(text)
    except RecursionError:
        _too_deep(file, line)
    except _Duplicate as error:
        fail(file, line, f"{error} is given twice", "Give each variable one value a step.")
    except json.JSONDecodeError as error:
        if cut_off:
            fail(file, line, "the log ends in the middle of this line", "Remove the line, or get the whole log.")
        problem = f"not JSON at column {error.colno}: {error.msg}"
        fail(file, line, problem, 'Write one object a line: {"step": 0, "speed": 1.5, ...}.')


def _too_deep(file: str, line: int) -> None:
    fail(file, line, "the values are nested too deeply", "Write paths with dots instead.")


def _flatten(file: str, line: int, path: str, value: Any, ignore: frozenset[str], cells: dict[str, Literal]) -> None:
    """Puts the values below a path into cells, each under its full path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            below = f"{path}.{key}" if path else key
            if below not in ignore:
                _flatten(file, line, below, inner, ignore, cells)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _flatten(file, line, f"{path}[{index}]", inner, ignore, cells)
    elif value is not None:
        if path in cells:
            fail(file, line, f"{quoted(path)} is given twice", "Give each variable one value a step.")
        cells[path] = value


def _table_records(file: str, lines: Iterator[str]) -> Iterator[LogRecord]:
    rows = _rows(file, lines)
    header_line, header = next(rows, (1, []))
    for position, name in enumerate(header, start=1):
        if not name:
            fail(file, header_line, f"column {position} has no name", "Name every column, or remove it.")
        if header.count(name) > 1:
            fail(file, header_line, f"there are two columns {quoted(name)}", "Give each variable one column.")
    for line, row in rows:
        if len(row) != len(header):
            problem = f"the row has {len(row)} cells, and the header has {len(header)}"
            fail(file, line, problem, "Give each row one cell a column; put a cell with a separator in quotes.")
        cells: dict[str, Literal] = {name: cell for name, cell in zip(header, row, strict=True) if cell}
        yield LogRecord(line, cells, header_line)


def _rows(file: str, lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the line where it begins."""
    first: list[str] = []  # up to the header
    for text in lines:
        first.append(text)
        if text.strip():
            break
    header = "".join(first).lstrip()
    delimiter = next((sign for sign in ",;\t" if sign in header), ",")
    whole = itertools.chain(first, lines)
    reader = csv.reader(whole, delimiter=delimiter, skipinitialspace=True, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            fail(file, line, f"not CSV: {error}", "Write cells as RFC 4180 has them: quotes around, doubled inside.")
        cells = [cell.strip() for cell in row]
        if cells not in ([], [""]):
            yield line, cells
