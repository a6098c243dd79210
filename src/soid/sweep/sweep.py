"""A sweep that was made: its rows, as a table, in words, and along the logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, final

from msgspec import Struct

from soid.oracle.answer import Verdict
from soid.program.interface import Interface
from soid.query.query import CheckedQuery
from soid.query.words import Words, counted
from soid.query.words.tallies import tally
from soid.shown import Shown
from soid.sweep.changed_inputs import ChangedInput, changed_inputs
from soid.sweep.row_file import table
from soid.sweep.sweep_row import SweepRow
from soid.sweep.timeline_svg import timeline_svg
from soid.sweep.verdict_timeline import OutstandingMoment, VerdictLane, lanes, standing_out

if TYPE_CHECKING:
    import pyarrow as pa


@final
class TalliedQuestion(Struct, frozen=True):
    """One question, and how many moments have which verdict."""

    question: str
    sentence: str  # it in words
    told: str  # what came of it, in sentences
    verdicts: dict[str, int]
    changed: list[ChangedInput]  # by the scenarios


@final
class SweepDocument(Struct, frozen=True, tag_field="event", tag="sweep"):
    """What a sweep came to, as JSON."""

    moments: int
    rows: int
    complete: bool
    questions: list[TalliedQuestion]
    outstanding: list[OutstandingMoment]
    seconds: float
    solver_calls: int
    shared: int


@final
class Sweep(Struct, Shown, frozen=True):
    """The rows of a sweep, in the order of logs, steps and questions."""

    rows: tuple[SweepRow, ...]
    questions: tuple[CheckedQuery, ...]
    texts: tuple[str, ...]  # of the questions, as in the rows
    interface: Interface
    complete: bool = True  # False: it was stopped
    seconds: float = 0.0  # of this run
    solver_calls: int = 0  # of this run
    shared: int = 0  # rows of this run that a proof about several moments gave

    def __repr__(self) -> str:
        return f"Sweep({self._counted}: {self._told(Counter(row.verdict.value for row in self.rows))})"

    @property
    def table(self) -> pa.Table:
        """All rows as an Arrow table: `.to_pandas()` makes a data frame of it, `polars.from_arrow` too."""
        return table(self.rows)

    @property
    def open(self) -> tuple[SweepRow, ...]:
        """The rows whose verdict is neither yes nor no."""
        return tuple(row for row in self.rows if not row.verdict.is_definite)

    @property
    def tallied(self) -> tuple[TalliedQuestion, ...]:
        return tuple(self._tallied())

    @property
    def lanes(self) -> tuple[VerdictLane, ...]:
        """Each question along each log."""
        return lanes(self.rows)

    @property
    def outstanding(self) -> tuple[OutstandingMoment, ...]:
        """The moments that stand out: where a verdict turns, is neither yes nor no, or has the nearest scenario."""
        return standing_out(self.rows)

    def svg(self, heading: str = "Sweep") -> str:
        """The verdicts along the logs as a picture."""
        return timeline_svg(self.lanes, {each.question: each.sentence for each in self.tallied}, heading=heading)

    @property
    def document(self) -> SweepDocument:
        found = list(self.tallied), list(self.outstanding)
        taken = round(self.seconds, 3), self.solver_calls
        return SweepDocument(self.moments, len(self.rows), self.complete, *found, *taken, self.shared)

    def summary(self) -> str:
        """What came of each question, in sentences; and that the sweep was stopped, if it was."""
        told = [each.told for each in self.tallied]
        return "\n".join(told if self.complete else [*told, "The sweep was stopped before its end."])

    def _tallied(self) -> Iterator[TalliedQuestion]:
        words = Words(self.interface)
        for text, checked in zip(self.texts, self.questions, strict=True):
            rows = [row for row in self.rows if row.question == text]
            found = Counter(row.verdict.value for row in rows)
            verdicts = {each.value: found[each.value] for each in Verdict if found[each.value]}
            told = tally(words, checked.query, verdicts) if verdicts else "It was asked at no moment."
            yield TalliedQuestion(text, words.sentence(checked.query), told, verdicts, list(changed_inputs(rows)))

    @property
    def moments(self) -> int:
        """How many have rows."""
        return len({(row.log, row.step) for row in self.rows})

    @property
    def _counted(self) -> str:
        return f"{counted(len(self.texts), 'question')} at {counted(self.moments, 'moment')}"

    @staticmethod
    def _told(found: Counter[str]) -> str:
        return ", ".join(f"{found[each.value]:,} {each.value}" for each in Verdict if found[each.value]) or "no rows"


def listed_moments(rows: Sequence[SweepRow]) -> dict[tuple[str, str], str]:
    """The moments of rows by verdict and reason; steps in a row are one stretch: "a.csv 3, 10..12; b.csv 7"."""
    found: dict[tuple[str, str], dict[str, dict[int, int]]] = {}  # by log, the last step of each stretch by its first
    for row in rows:
        stretches = found.setdefault((row.verdict.value, row.reason), {}).setdefault(row.log, {})
        if row.step is not None:
            first, last = next(reversed(stretches.items()), (row.step, row.step))
            stretches[first if row.step <= last + 1 else row.step] = row.step
    return {why: "; ".join(starmap(_stretched, logs.items())) for why, logs in found.items()}


def _stretched(log: str, stretches: Mapping[int, int]) -> str:
    """
    >>> _stretched("a.csv", {3: 3, 10: 12})
    'a.csv 3, 10..12'
    """
    steps = ", ".join(str(first) if first == last else f"{first}..{last}" for first, last in stretches.items())
    return f"{Path(log).name} {steps}".rstrip()
