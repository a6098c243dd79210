"""The step that a typed text means: a number, the name of a moment, or a time.

A time is since the log's first row (`12.5s`, `500 ms`, `2 min`, `1:30`, `1:02:03.5`), or, after an @, as the log writes
it (`@1778338844000`, `@2026-05-09T15:00:44Z`). Of a log that writes numbers a date is so many seconds since 1970, in
UTC if it has no zone: timestamps of tables are numbers too. A time means the step in force then: the last one logged at
that time or before. A time before the first row or after the last is refused, because no step is known to be in force
there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from soid.errors import KeyframeError
from soid.program.trace_table import ISO
from soid.program.units import unit
from soid.scenario.log_formats import quoted
from soid.scenario.logs.row_times import date_seconds, is_date, lacks_zone
from soid.scenario.step_times import StepTime
from soid.scenario.trace import Trace

_NUMBER: Final = re.compile(r"(?:step )?(-?\d{1,18})", re.ASCII)
#: 500 ms, 2 min; 12.5s, 1:30, 1:02:03.5
_TIME: Final = re.compile(
    r"(?:t ?= ?)?(?:(\d{1,12}(?:\.\d{1,9})?) ?(ms|us|ns|min|h|d)"
    r"|(?:(?:(\d{1,9}):)?(\d{1,9}):)?(\d{1,12}(?:\.\d{1,9})?) ?(?:s|sec|seconds)?)",
    re.ASCII,
)
_AS_LOGGED: Final = "@"
#: seconds: times are shown to the nanosecond, and what is shown of a step finds it again (0.30000000000000004: 0.3 s)
_ROUNDED: Final = Fraction(1, 2 * 10**9)


def is_time(text: str) -> bool:
    """Whether a text is written as a time is."""
    wanted = " ".join(text.split())
    return wanted.startswith(_AS_LOGGED) or _TIME.fullmatch(wanted) is not None


def step_of(text: str, trace: Trace, names: Mapping[str, int]) -> int:
    """The step that is meant; `names` are those of moments. KeyframeError: there is no such step."""
    wanted = " ".join(text.split())
    if wanted in names:
        return names[wanted]
    number = _NUMBER.fullmatch(wanted)
    if number is not None:
        return trace.keyframe(int(number[1])).step
    return trace.steps[_places(wanted, trace, names)[-1]].time


def end_of(text: str, trace: Trace, *, last: bool) -> int:
    """The number of the step that a part of the log begins with, or ends with: a number as it is, or that of a time.

    If several steps were logged at the time of the one in force, a part begins with the first and ends with the last.
    """
    wanted = " ".join(text.split())
    number = _NUMBER.fullmatch(wanted)
    return int(number[1]) if number is not None else trace.steps[_places(wanted, trace, {})[last]].time


def _places(wanted: str, trace: Trace, names: Mapping[str, int]) -> tuple[int, int]:
    """Where the steps in force at a time are: the first and the last of those that were logged at once."""
    first, last = trace.steps[0].when, trace.steps[-1].when
    if first is None or last is None:
        if not is_time(wanted):
            raise KeyframeError(f"{_shown(wanted)} is no step", f"Give {_one_of('a number such as 220', names=names)}.")
        raise KeyframeError(
            f"{trace.source or 'the log'} does not say when its steps were logged",
            'Give the number of a step; or name the column of its times: [trace] time = { column = "t", unit = "s" }.',
        )
    if not is_time(wanted):
        times = "a time since the first row such as 12.5s", f"a time as the log writes it such as @{first.written}"
        problem = f"{_shown(wanted)} is neither a step nor a time"
        raise KeyframeError(problem, f"Give {_one_of('a step', *times, names=names)}.")
    since, rounded = _since(wanted, first)
    if not 0 <= since <= last.since + rounded:
        raise KeyframeError(
            f"{trace.source or 'the log'} has no step at {quoted(wanted)}",
            f"Its times go from {first.short} to {last.short} since its first row; it writes them @{first.written} to "
            f"@{last.written}.",
        )
    return trace.places_at(since + rounded)


def _since(wanted: str, first: StepTime) -> tuple[Fraction, Fraction]:
    """The seconds from the log's first row to a time, and by how much a time may be greater that is shown like it."""
    if wanted.startswith(_AS_LOGGED):
        text, remedy = wanted.removeprefix(_AS_LOGGED), f"Write it as the log does: @{first.written}."
        start = first.clock.start
        try:
            since = first.clock.since(text) if first.unit == ISO or not is_date(text) else date_seconds(text) - start
        except ValueError as error:
            raise KeyframeError(f"{quoted(wanted)}: {error}", remedy) from None
        if first.unit == ISO and lacks_zone(text) is not lacks_zone(first.written):
            which = "it has no zone, and they have one" if lacks_zone(text) else "they have no zone"
            raise KeyframeError(f"{quoted(wanted)} cannot be compared with the dates of the log: {which}", remedy)
        return since, Fraction(0)
    found = _TIME.fullmatch(wanted)
    assert found is not None
    number, name, hours, minutes, seconds = found.groups()
    if name is not None:
        return Fraction(number) * unit(name).factor, _ROUNDED
    return (int(hours or 0) * 60 + int(minutes or 0)) * 60 + Fraction(seconds), _ROUNDED


def _shown(wanted: str) -> str:
    return quoted(wanted) if wanted else "nothing"


def _one_of(*texts: str, names: Mapping[str, int]) -> str:
    *others, last = [*texts, *[f"the name of a moment: {', '.join(names)}"] * bool(names)]
    return ", ".join([*others, f"or {last}"]) if others else last
