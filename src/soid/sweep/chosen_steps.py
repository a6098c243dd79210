"""Which moments of a log are asked about: all, some numbers, where a condition holds, or where a decision changed.

>>> ChosenSteps.of("3, 10..12").text, ChosenSteps.of(" where   brake > 0.5 ").condition
('3, 10..12', 'brake > 0.5')
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, Self, final

from msgspec import Struct

from soid.errors import QueryError
from soid.query.logged_condition import LoggedCondition
from soid.scenario.trace import Step, Trace

ALL: Final = "all"
CHANGED: Final = "changed"
_WHERE: Final = "where "
_NUMBERS: Final = re.compile(r"(-?\d{1,18})(?: ?\.\. ?(-?\d{1,18}))?", re.ASCII)
_REMEDY: Final = "Give `all`, numbers such as `3, 10..20`, `where CONDITION`, or `changed`: where a decision changed."


@final
class ChosenSteps(Struct, frozen=True):
    """A choice of steps, for any log of a program."""

    text: str
    numbers: tuple[tuple[int, int], ...] = ()  # first and last of each stretch
    condition: str = ""

    @classmethod
    def of(cls, text: str) -> Self:
        """A QueryError if the text is no choice of steps."""
        written = " ".join(text.split())
        if written in (ALL, CHANGED):
            return cls(written)
        if written.startswith(_WHERE):
            return cls(written, condition=written.removeprefix(_WHERE))
        stretches = [_NUMBERS.fullmatch(part.strip()) for part in written.split(",")]
        found = [(int(each[1]), int(each[2] or each[1])) for each in stretches if each is not None]
        if len(found) < len(stretches):
            raise QueryError(f"{text!r} does not say which steps are meant", _REMEDY)
        backwards = next((each for each in found if each[0] > each[1]), None)
        if backwards is not None:
            first, last = backwards
            raise QueryError(f"{first}..{last} ends before it begins", f"Give {last}..{first}.")
        return cls(written, tuple(found))

    def within(self, log: Trace) -> Iterator[int]:
        """The numbers of the steps of a log that are meant, in its order, each once."""
        if self.numbers:
            return (step.time for step in _numbered(log, self.numbers))
        if self.condition:
            condition = LoggedCondition(self.condition, log.interface)
            return (step.time for step in log if condition.holds(step))
        return (step.time for step in (_changed(log) if self.text == CHANGED else log))


def _numbered(log: Trace, stretches: tuple[tuple[int, int], ...]) -> Iterator[Step]:
    """The steps of the stretches; of a long log, only these are read."""
    places = sorted({at for first, last in stretches for at in range(log.place(first), log.place(last + 1))})
    return (log.steps[at] for at in places)


def _changed(log: Trace) -> Iterator[Step]:
    """The steps at which a logged decision is another one than at the step before."""
    before = log.steps[0]
    for step in islice(log, 1, None):
        known = before.decisions.keys() & step.decisions.keys()
        if any(before.decisions[name] != step.decisions[name] for name in known if not name.endswith("'")):
            yield step
        before = step
