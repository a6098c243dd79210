"""A LogMapping: what the columns of a log are to the program. It is the part of [trace] that says how a log is read.

    [trace]
    file = "flight.csv"
    time = { column = "t", unit = "ms" }            # when each row was logged; must not run back
    ignore = ["*"]                                   # every column that is neither mapped nor a variable
    missing = ["NA", "-999"]                         # cells without a value, beside empty ones and nulls
    empty = "missing"                                # such a cell is what a model was given: that the value is missing
    every_call = true                                # no call is missing, though the times have gaps or are irregular

    [trace.columns]                                  # a variable = the column that has its values
    "s.alt"   = { column = "Alt(ft)", unit = "ft" }  # converted to the unit that [variables] gives it
    "s.pilot" = { column = "cmd", labels = { RTH = "PILOT_RTH", HOLD = "PILOT_HOLD" } }
    "s.armed" = "ARM"

    [[trace.join]]                                   # a further file: at each step, what it logged last
    file = "gps.csv"
    as   = "gps"                                     # its columns are called gps.lat, ...
    time = { column = "stamp", unit = "s" }
    within = 0.5                                     # seconds; what is older counts as not logged

    [[trace.by_hand]]                                # the run was halted, and went on from what a hand had changed
    step = 12                                        # before this step: it does not come of the one before it
    says = "B was put 0.3 m further on"              # what was changed, which each answer says

`time = { ..., period = 0.1 }` numbers the steps by the clock: the step is how many periods the row is after the first.
Without it rows are counted, or numbered by the column `step`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct

from soid.program.interface import normal_path
from soid.program.toml_table import TomlTable, found, is_text
from soid.program.types import MISSING
from soid.program.units import unit

ISO: Final = "iso"  # the unit of a clock that writes dates: 2026-05-01T12:00:00.25Z
_LEAST, _MOST = 1e-12, 1e12  # seconds of a period
EVERYTHING: Final = "*"  # what `ignore` calls every column that is neither mapped nor a variable


@final
class MappedColumn(Struct, frozen=True):
    """Where the values of a variable are in the log, and how they are written there."""

    name: str  # the variable; with a prime its value after the call
    column: str
    unit: str | None = None  # None: the variable's own
    labels: Mapping[str, str] = {}  # what the log writes -> the program's value; empty: they are the same
    decimals: int | None = None  # of the log's numbers; None: as the variable says


@final
class LogClock(Struct, frozen=True):
    """The column that says when a row was logged."""

    column: str
    unit: str = "s"  # or ISO
    period: Fraction | None = None  # seconds from one step to the next; None: the clock does not number the steps


@final
class JoinedLog(Struct, frozen=True):
    """A further file. Each step has what it logged last before the step, or at the same time."""

    file: Path
    clock: LogClock | None  # None: the messages' own times
    prefix: str = ""  # before the names of its columns
    within: Fraction | None = None  # seconds; what is older is not logged
    topic: str | None = None


@final
class ChangedByHand(Struct, frozen=True):
    """What was changed by hand while the run that was logged was halted."""

    step: int  # before it
    says: str  # what was changed, in words


@final
class LogMapping(Struct, frozen=True):
    """How the columns of a log are read."""

    columns: tuple[MappedColumn, ...] = ()
    clock: LogClock | None = None
    joined: tuple[JoinedLog, ...] = ()
    topic: str | None = None  # of a file of messages: each message of this topic is a step
    missing: frozenset[str] = frozenset()  # what the log writes where it has no value
    empty_is_missing: bool = False  # where it has none, the program was told that it is missing; else it is not logged
    every_call: bool = False  # each row is one call and none is missing, whatever the times say
    by_hand: tuple[ChangedByHand, ...] = ()


def read_mapping(table: TomlTable, folder: Path) -> LogMapping:
    """The mapping in a manifest's table [trace]."""
    return LogMapping(
        columns=_columns(table),
        clock=_clock(table),
        joined=tuple(_joined(inner, folder) for inner in table.tables("join")),
        topic=table.text("topic"),
        missing=frozenset(table.texts("missing")),
        empty_is_missing=_empty(table),
        every_call=table.flag("every_call") or False,
        by_hand=tuple(map(_changed, table.tables("by_hand"))),
    )


def _changed(table: TomlTable) -> ChangedByHand:
    step = table.integer("step")
    if step is None:
        table.fail("step", "it is missing", "Write the number of the step before which it was changed: step = 12.")
    changed = ChangedByHand(step, table.required_words("says", '"B was put 0.3 m further on"'))
    table.close()
    return changed


def _empty(table: TomlTable) -> bool:
    given = table.text("empty")
    if given not in (None, MISSING):
        remedy = f'Write empty = "{MISSING}" if the program was told so; else leave it out, and it is not logged.'
        table.fail("empty", f"{given!r} is not what an empty cell can stand for", remedy)
    return given is not None


def _columns(table: TomlTable) -> tuple[MappedColumn, ...]:
    columns = table.table("columns")
    if columns is None:
        return ()
    mapped = tuple(_column(columns, name) for name in columns)
    for at, each in enumerate(mapped):
        if any(each.name == other.name for other in mapped[:at]):
            columns.fail("", f"{each.name} is mapped twice", "Give each variable one column.")
    return mapped


def _column(columns: TomlTable, name: str) -> MappedColumn:
    path = normal_path(name)
    given = columns.get(name)
    if is_text(given):
        return MappedColumn(path, given)
    entry = columns.table(name)
    assert entry is not None
    if not any(key in entry for key in ("column", "unit", "labels", "decimals")):
        entry.fail("", "a path with dots needs quotes", 'Write "s.alt" = { column = "Alt" }.')
    column = entry.text("column")
    mapped = MappedColumn(path, name if column is None else column, _unit(entry), _labels(entry), _decimals(entry))
    entry.close()
    return mapped


def _unit(entry: TomlTable) -> str | None:
    name = entry.text("unit")
    if name is not None:
        try:
            unit(name)
        except ValueError as error:
            entry.fail("unit", str(error))
    return name


def _labels(entry: TomlTable) -> dict[str, str]:
    labels = entry.get("labels")
    if labels is None:
        return {}
    if not isinstance(labels, dict) or not labels:
        remedy = 'Write labels = { RTH = "PILOT_RTH" }: first what the log writes, then the program\'s value.'
        entry.fail("labels", f"expected a table of what the log writes, found {found(labels)}", remedy)
    return {written: _value(entry, value) for written, value in labels.items()}


def _value(entry: TomlTable, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, int | str):
        entry.fail("labels", f"a label stands for a value of the program, and not for {found(value)}")
    return str(value)


def _decimals(entry: TomlTable) -> int | None:
    decimals = entry.integer("decimals")
    if decimals is not None and not 0 <= decimals <= 100:
        entry.fail("decimals", f"{decimals} is no number of decimals", "Give one from 0 to 100.")
    return decimals


def _clock(table: TomlTable) -> LogClock | None:
    given = table.get("time")
    if given is None:
        return None
    if is_text(given):
        return LogClock(given)
    entry = table.table("time")
    assert entry is not None
    column = entry.required("column", '"t"')
    name = entry.text("unit")
    if name not in (None, ISO) and unit_of_time(entry, name) is None:
        entry.fail("unit", f"{name} is no unit of time", f'Write s, ms, us, ns, min, h, d, or "{ISO}" for dates.')
    clock = LogClock(column, name or "s", _seconds(entry, "period"))
    entry.close()
    return clock


def unit_of_time(entry: TomlTable, name: str | None) -> str | None:
    """The name, if it is a unit of time."""
    try:
        return name if name is not None and unit(name).measures == "time" else None
    except ValueError as error:
        entry.fail("unit", str(error))


def _seconds(entry: TomlTable, key: str) -> Fraction | None:
    value = entry.number(key)
    if value is None:
        return None
    if not _LEAST <= value <= _MOST:
        entry.fail(key, f"{value} is no number of seconds between two rows", f"Write {key} = 0.1.")
    return Fraction(str(entry.get(key)))


def _joined(table: TomlTable, folder: Path) -> JoinedLog:
    file = folder / table.required("file", '"gps.csv"')
    if not file.is_file():
        table.fail("file", f"there is no log {file}", "Files are named relative to the manifest's folder.")
    prefix = table.text("as")
    joined = JoinedLog(
        file, _clock(table), f"{prefix}." if prefix else "", _seconds(table, "within"), table.text("topic")
    )
    if joined.clock is not None and joined.clock.period is not None:
        table.fail("time", "a joined file numbers no steps", "Give a period to the first log alone.")
    table.close()
    return joined
