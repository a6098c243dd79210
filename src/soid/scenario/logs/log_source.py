"""Opens a log by its name, or a table of Python, and reads it with the manifest's mapping."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

from soid.errors import TraceError
from soid.program.trace_table import LogClock
from soid.scenario.logs.log_pieces import LogSource
from soid.scenario.logs.text_log import TextLog

_JSON: Final = (".jsonl", ".ndjson", ".json")
_TABLES: Final = (".csv", ".tsv")
_ARROW: Final = (".parquet", ".pq", ".arrow", ".arrows", ".ipc", ".feather")
_MESSAGES: Final = ".mcap"
LOG_ENDINGS: Final = (*_JSON, *_TABLES, *_ARROW, _MESSAGES)  # of the files that can be logs


@runtime_checkable
class TableObject(Protocol):
    """A table of pandas, polars or pyarrow: they all give their columns as Arrow streams."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


def open_log(log: Path | str | TableObject, ignore: frozenset[str], topic: str | None = None) -> LogSource:
    """The log, opened. Values under ignored paths are left out where that saves work."""
    if isinstance(log, TableObject):
        from soid.scenario.logs.arrow_log import ArrowLog  # needs an extra

        return ArrowLog.of_table(log, ignore)
    try:
        path = Path(log)
    except TypeError:
        problem = f"a log is a file or a table, and not a {type(log).__name__}"
        raise TraceError(problem, "Give a table of pandas, polars (collected) or pyarrow.") from None
    suffix = path.suffix.lower()
    if suffix in _JSON or suffix in _TABLES:
        return TextLog(path, ignore, table=suffix in _TABLES)
    if suffix in _ARROW:
        from soid.scenario.logs.arrow_log import ArrowLog  # needs an extra

        return ArrowLog.of_file(path, ignore)
    if suffix == _MESSAGES:
        from soid.scenario.logs.mcap_log import McapLog  # needs an extra

        return McapLog(path, ignore, topic)
    known = ", ".join((*_JSON[:1], *_TABLES, *_ARROW, _MESSAGES))
    raise TraceError(f"{path}: the name does not say what kind of log it is", f"Let it end in one of {known}.")


def clock_of(source: LogSource, declared: LogClock | None) -> LogClock | None:
    """The clock of a log: the one that the manifest names, or the one that its format has."""
    return declared or getattr(source, "clock", None)
