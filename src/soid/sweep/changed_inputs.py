"""Which inputs the scenarios of a question change, at how many moments, and to what: a distribution of their values.

>>> from soid.oracle.answer import Verdict
>>> from soid.sweep.sweep_row import SweepRow
>>> shown = [{"x": 1.5}, {"x": 7.0, "signal": "RIGHT"}, {"signal": "LEFT", "x": 3.0}, {"signal": "RIGHT"}]
>>> rows = [SweepRow("a", at, "q", Verdict.YES, "", tuple(each), each, 0.0) for at, each in enumerate(shown)]
>>> [each.told(each.input) for each in changed_inputs(rows)]
['x at 3 moments: 1.5 to 7.0, half of them up to 3.0', 'signal at 3 moments: RIGHT 2, LEFT 1']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, final

from msgspec import Struct

from soid.documents import JsonValue
from soid.query.words import counted
from soid.sweep.sweep_row import SweepRow

_SHOWN: Final = 6  # values that are listed


@final
class ChangedInput(Struct, frozen=True):
    """An input that scenarios change. It is its own document."""

    input: str
    moments: int  # of which the scenario changes it
    least: float | None  # of numbers; None: its values are no numbers
    middle: float | None  # half of them are no greater
    greatest: float | None
    values: dict[str, int]  # how often each, if they are no numbers, the most frequent first

    def told(self, called: str) -> str:
        """It in words; `called` is the input's name in words."""
        at = f"{called} at {counted(self.moments, 'moment')}"
        if self.least is None:
            listed = ", ".join(f"{value} {count}" for value, count in list(self.values.items())[:_SHOWN])
            more = f" and {counted(len(self.values) - _SHOWN, 'other')}" if len(self.values) > _SHOWN else ""
            return f"{at}: {listed}{more}"
        if self.least == self.greatest:
            return f"{at}: {self.least}"
        return f"{at}: {self.least} to {self.greatest}, half of them up to {self.middle}"


def changed_inputs(rows: Iterable[SweepRow]) -> tuple[ChangedInput, ...]:
    """The inputs in the order in which the scenarios of the rows have them."""
    found: dict[str, list[JsonValue]] = {}
    for row in rows:
        for name, value in row.witness.items():
            found.setdefault(name, []).append(value)
    return tuple(_of(name, values) for name, values in found.items())


def _of(name: str, values: list[JsonValue]) -> ChangedInput:
    numbers = sorted(each for each in values if isinstance(each, int | float) and not isinstance(each, bool))
    if len(numbers) == len(values):
        middle = numbers[(len(numbers) - 1) // 2]
        return ChangedInput(name, len(values), numbers[0], middle, numbers[-1], {})
    counts = Counter(str(each).lower() if isinstance(each, bool) else str(each) for each in values)
    return ChangedInput(name, len(values), None, None, None, dict(counts.most_common()))
