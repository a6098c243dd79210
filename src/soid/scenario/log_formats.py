"""The text formats of logs. Each reader yields LogRecords: a step with its values as the log writes them.

JSON lines have one object for each step. Nested values and flat paths mean the same, and a null is a value that is not
logged. `NaN`, `Infinity` and `-Infinity` are read too: many programs write them, although JSON does not allow them.

    {"step": 3, "error": true, "world": {"agents": [{"pos_x": 1.376}]}}
    {"step": 4, "error": true, "world.agents[0].pos_x": 1.376}
    {"step": 5, "plan'": {"route": [1, 2]}}            the same as "plan.route[0]'": 1, "plan.route[1]'": 2

Tables (CSV as in RFC 4180; tabs in a .tsv file) have a header with the paths, then one row for each step. The separator
is the one of `,`, `;` and tab that the header contains: paths contain none of them. An empty cell is not logged.

    step,error,world.agents[0].pos_x
    3,true,1.376

`soid.scenario.logs` opens files of these and other formats.
"""

from __future__ import annotations

import csv
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NoReturn, final

from msgspec import Struct

from soid.errors import TraceError
from soid.formula.sorts import Float


@final
class StoredFloat(Struct, frozen=True):
    """A float as a binary log stores it."""

    format: Float
    bits: int


#: a line of nothing but these is no record; an index of bytes must find the same ones
BLANKS: Final = " \t\n\r\v\f"
_AS_RFC: Final = "Write cells as RFC 4180 has them: quotes around, doubled inside."

# Numbers of text stay text, so that each is rounded once, to its variable's own type.
Literal = bool | str | StoredFloat


@final
class LogRecord(Struct, frozen=True, gc=False):
    """One step of the log, not yet checked against an interface."""

    line: int  # where it begins; in a binary log its number, from 1 on
    cells: dict[str, Literal]  # path as the log writes it -> value
    paths_line: int  # the line with the paths: the same line, or a table's header
    elsewhere: dict[str, str] = {}  # path -> file:line, of values that were joined from another file
    columns: tuple[str, ...] = ()  # of a table: the names of all, with those that have no value here
    gap: str = ""  # why values of another file are missing
    unended: bool = False  # the row of a table that no line end follows: it may have been cut in its last cell


def fail(file: str, line: int, problem: str, remedy: str = "") -> NoReturn:
    raise TraceError(f"{file}:{line}: {problem}", remedy)


def quoted(text: str) -> str:
    """A text from the log for a message: on one line, and shortened."""
    shown = text if text.isprintable() and text.strip() else ascii(text)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


@final
class _Duplicate(ValueError):
    """A JSON object has a key twice."""


def json_records(file: str, lines: Iterable[str], ignore: frozenset[str], first: int = 1) -> Iterator[LogRecord]:
    """The records of JSON lines; `first` is the number of the first line."""
    for count, line in enumerate(lines, start=first):
        if (plain := _plain_cells(line, ignore)) is not None:
            yield LogRecord(count, plain, count)
            continue
        if not line.strip(BLANKS):
            continue
        value = json_value(file, count, line, cut_off=not line.endswith("\n"))
        if not isinstance(value, dict):
            fail(file, count, "the line is no JSON object", 'Write one object a line: {"step": 0, "speed": 1.5, ...}.')
        nulls = tuple(key for key, cell in value.items() if cell is None)
        cells = flat_cells(file, count, value, ignore)
        yield LogRecord(count, cells, count, columns=(*cells, *nulls) if nulls else ())


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _Duplicate(quoted(next(key for key in keys if keys.count(key) > 1)))
    return unique


#: numbers stay text
_DECODER: Final = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_unique)


def json_value(file: str, line: int, text: str, *, cut_off: bool) -> Any:
    """The value of a JSON text, with numbers as text."""
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


#: the same, if no key is given twice
_QUICK_DECODER: Final = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
_SCAN: Final = _QUICK_DECODER.scan_once  # type: ignore[attr-defined]  # `decode` without looking for blanks
_FLAT: Final = frozenset({str, bool})  # a null is told with the columns


def _plain_cells(line: str, ignore: frozenset[str]) -> dict[str, Literal] | None:
    """The cells of a line with one flat object, as almost all lines are; None if there may be anything else in it."""
    try:
        value, end = _SCAN(line, 0)
    except (StopIteration, RecursionError, ValueError):
        return None
    # a key twice, a text with a colon, or a nested object
    if line[end:] != "\n" or type(value) is not dict or line.count(":") != len(value):
        return None
    for key in ignore & value.keys():
        del value[key]
    return value if _FLAT.issuperset(map(type, value.values())) else None


def flat_objects(lines: Iterable[str], ignore: frozenset[str]) -> list[dict[str, Any]] | None:
    """The objects of JSON lines; None if one of them is not plain: `json_records` reads it, or says what is wrong."""
    found: list[dict[str, Any]] = []
    try:
        for line in lines:
            value, end = _SCAN(line, 0)
            if line[end:] not in ("\n", "\r\n") or type(value) is not dict:
                return None
            if line.count(":") != len(value):  # nested, a key twice, or a text with a colon
                value = flat_cells("", 0, _DECODER.decode(line), ignore)
            found.append(value)
    except (StopIteration, RecursionError, ValueError, TraceError):
        return None
    return found


def _too_deep(file: str, line: int) -> None:
    fail(file, line, "the values are nested too deeply", "Write paths with dots instead.")


def flat_cells(file: str, line: int, value: dict[str, Any], ignore: frozenset[str]) -> dict[str, Literal]:
    """The values of a nested object, each under its full path."""
    cells: dict[str, Literal] = {}
    try:
        _flatten(file, line, "", value, ignore, cells)
    except RecursionError:
        _too_deep(file, line)
    return cells


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


@final
class TableHeader(Struct, frozen=True):
    """The header of a table."""

    line: int
    names: tuple[str, ...]
    delimiter: str


def table_records(
    file: str, lines: Iterator[str], header: TableHeader | None = None, first: int = 1
) -> Iterator[LogRecord]:
    """The records of a table. A part of it comes with the header, and with the number of its first line."""
    known, rows = (header, _rows(file, lines, header.delimiter, first)) if header else table_header(file, lines)
    names = known.names
    for line, row, unended in rows:
        if len(row) != len(names):
            if unended and len(row) < len(names):
                fail(file, line, "the log ends in the middle of this line", "Remove the line, or get the whole log.")
            found = f"{len(row)} cell{'s' if len(row) > 1 else ''}"
            problem = f"the row has {found}, and the header has {len(names)}"
            fail(file, line, problem, "Give each row one cell a column; put a cell with a separator in quotes.")
        cells: dict[str, Literal] = {name: cell for name, cell in zip(names, row, strict=True) if cell}
        yield LogRecord(line, cells, known.line, columns=names, unended=unended)


def table_header(file: str, lines: Iterator[str]) -> tuple[TableHeader, Iterator[_Row]]:
    """The header of a table, and its rows."""
    first: list[str] = []  # up to the header
    for text in lines:
        first.append(text)
        if text.strip(BLANKS):
            break
    head = re.sub('"[^"]*"', "", "".join(first).lstrip(BLANKS))  # a quoted name may contain all of them
    delimiter = next((sign for sign in ",;\t" if sign in head), ",")
    rows = _rows(file, itertools.chain(first, lines), delimiter)
    header_line, header, _ = next(rows, (1, [], False))
    for position, name in enumerate(header, start=1):
        if not name:
            fail(file, header_line, f"column {position} has no name", "Name every column, or remove it.")
        if header.count(name) > 1:
            fail(file, header_line, f"there are two columns {quoted(name)}", "Give each variable one column.")
    return TableHeader(header_line, tuple(header), delimiter), rows


def plain_columns(text: str, header: TableHeader) -> dict[str, list[str]] | None:
    """The columns of a part of a table, blanks around a cell kept.

    None if a row is not plain (quotes, too few cells): `table_records` reads it, or says what is wrong with it.
    """
    sign, count = header.delimiter, len(header.names)
    text = text.replace("\r\n", "\n").removesuffix("\n")
    if count == 1 or '"' in text or "\r" in text or "\0" in text:
        return None
    if {line.count(sign) for line in text.split("\n")} != {count - 1}:
        return None
    cells = text.replace("\n", sign).split(sign)
    return {name: cells[at::count] for at, name in enumerate(header.names)}


def row_count(file: str, lines: Iterator[str], delimiter: str, first: int) -> int:
    """How many rows of a part of a table are not blank."""
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        return sum(1 for row in reader if not _is_blank(row))
    except csv.Error as error:
        fail(file, reader.line_num + first - 1, f"not CSV: {error}", _AS_RFC)


#: the line where a row begins, its cells, and whether no line end follows it
_Row = tuple[int, list[str], bool]


def _rows(file: str, lines: Iterator[str], delimiter: str, first: int = 1) -> Iterator[_Row]:
    """The rows that are not blank."""
    last = ""

    def noted() -> Iterator[str]:
        nonlocal last
        for count, last in enumerate(lines, start=first):
            if "\0" in last:
                remedy = "Save the log as UTF-8; if its recorder did not finish it, remove what it did not fill."
                fail(file, count, "there are zero bytes in this line, as in UTF-16", remedy)
            yield last

    reader = csv.reader(noted(), delimiter=delimiter, skipinitialspace=True, strict=True)
    while True:
        line = reader.line_num + first
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            fail(file, line, f"not CSV: {error}", _AS_RFC)
        if not _is_blank(row):
            yield line, [cell.strip() for cell in row], not last.endswith(("\n", "\r"))


def _is_blank(row: list[str]) -> bool:
    return not row or (len(row) == 1 and not row[0].strip(BLANKS))
