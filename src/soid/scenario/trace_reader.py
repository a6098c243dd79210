"""Reads a log, of any format, into a Trace: as a manifest says, or with settings of one's own."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from soid.assumptions import Assumption, Ledger
from soid.errors import ManifestError, TraceError
from soid.program.interface import Interface, Role, normal_path
from soid.program.manifest import STEP_COLUMN, Manifest, below
from soid.program.trace_table import JoinedLog, LogMapping
from soid.scenario.columns import Columns
from soid.scenario.logs.joined_records import JoinedRecords
from soid.scenario.logs.log_pieces import PiecewiseSequence
from soid.scenario.logs.log_rows import LogRows, NumberedRow
from soid.scenario.logs.log_source import TableObject, clock_of, open_log
from soid.scenario.trace import Step, Trace


def read(
    path: Path | str | TableObject,
    interface: Interface,
    *,
    ignore: tuple[str, ...] = (),
    step_column: str = STEP_COLUMN,
    mapping: LogMapping = LogMapping(),  # noqa: B008 it is frozen
) -> Trace:
    """Reads and checks a log. A TraceError names file, line and variable, and the found and the expected value.

    `ignore` lists columns that are no variables of the program; paths below them are ignored too. A large log is
    checked where it is read.
    """
    skipped = frozenset(map(normal_path, ignore))
    source = open_log(path, skipped, mapping.topic)
    clock = clock_of(source, mapping.clock)
    columns = Columns(source.name, interface, step_column, skipped, replace(mapping, clock=clock))
    others = tuple(_joined(each, skipped) for each in mapping.joined)
    rows = LogRows(source, columns, step_column, mapping, clock, others)
    changed = frozenset(each.step for each in mapping.by_hand)
    steps: Sequence[Step]
    if source.is_large:
        rows.open_pieces()
        steps = PiecewiseSequence(source.sizes, lambda number: tuple(_step(row, changed) for row in rows.piece(number)))
    else:
        steps = tuple(_step(row, changed) for row in rows.whole())
        refused = [step.refused for step in steps if step.refused is not None]
        if refused and len(refused) == len(steps):  # what the manifest says of the column is wrong, and not a row
            raise refused[0]
    by_variable = (rows.part, source.sizes) if source.is_large else None
    relies_on = (*_by_hand(mapping), *rows.relies_on)
    found = source.name, lambda: rows.warnings, relies_on, rows.calls, rows.begins, by_variable
    return Trace(interface, steps, *found, lambda names: rows.written(names, len(steps)))


def _step(row: NumberedRow, changed: frozenset[int]) -> Step:
    values = row.values
    known = values.inputs, values.outputs, row.place, values.unlogged, values.rounded
    refused = next(iter(values.refused.values()), None)
    return Step(row.number, *known, row.time, row.lapse, refused, row.number in changed)


def _by_hand(mapping: LogMapping) -> tuple[Assumption, ...]:
    told = [f"before step {each.step}, {each.says}" for each in mapping.by_hand]
    return (Ledger.BY_HAND.of("; ".join(told)),) if told else ()


def _joined(joined: JoinedLog, ignore: frozenset[str]) -> JoinedRecords:
    source = open_log(joined.file, ignore, joined.topic)
    return JoinedRecords(joined, source, clock_of(source, joined.clock))


def read_for(manifest: Manifest, path: Path | str | TableObject | None = None) -> Trace:
    """Reads a log with the settings of a manifest; by default the log that the manifest names."""
    file = manifest.trace if path is None else path
    if manifest.mapping.joined and path is not None and not _is_own(manifest, path):
        joined = ", ".join(each.file.name for each in manifest.mapping.joined)
        other = path if isinstance(path, Path | str) else "a table"
        problem = f"{manifest.file} joins {joined} to its own log, and not to {other}"
        raise TraceError(problem, "Give that log a manifest of its own.")
    if file is None:
        raise TraceError(f"{manifest.file} names no log", 'Name one, or add [trace] file = "log.jsonl".')
    interface = manifest.program.interface
    for each in manifest.ignore:
        logged = (variable.path for variable in interface if variable.role is not Role.INTERNAL)
        hidden = next((path for path in logged if below(path, each)), None)
        if hidden is not None:
            problem = f"{manifest.file}: [trace] ignore: {each} would hide the variable {hidden}"
            raise ManifestError(problem, "Ignore only what is no variable.")
    found = read(file, interface, ignore=manifest.ignore, step_column=manifest.step_column, mapping=manifest.mapping)
    return dataclasses.replace(found, scene=manifest.scene)


def _is_own(manifest: Manifest, log: Path | str | TableObject) -> bool:
    """Whether a log is the one that the manifest names."""
    if manifest.trace is None or not isinstance(log, Path | str):
        return False
    return Path(log).exists() and manifest.trace.samefile(log)
