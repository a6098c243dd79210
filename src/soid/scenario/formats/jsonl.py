"""Logs with one JSON object for each line. Nested values and flat paths mean the same.

    {"step": 3, "error": true, "world": {"agents": [{"pos_x": 1.376}]}}
    {"step": 4, "error": true, "world.agents[0].pos_x": 1.376}

A null is a value that is not logged. `NaN`, `Infinity` and `-Infinity` are read too: many programs write them,
although JSON does not allow them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, final

from soid.scenario.formats.log_record import Literal, LogRecord, fail, quoted


@final
class _Duplicate(ValueError):
    """A JSON object has a key twice."""


def records(file: str, text: str, ignore: frozenset[str]) -> Iterator[LogRecord]:
    """The records of a text, without values under ignored paths."""
    lines = text.split("\n")  # not splitlines(): JSON text may contain other line separators
    cut_off = len(lines) if lines[-1].strip() else 0  # a last line without a line end may be incomplete
    for count, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        value = _parse(file, count, line, cut_off=count == cut_off)
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
