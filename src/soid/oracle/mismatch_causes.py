"""Why log and program differ: each likely cause is tested by comparing the program with the log read accordingly.

    unlogged state   another value of what is not logged gives what is logged, there and in the steps after it
    rounding         the log has fewer digits than the program computes with
    unit             one column is in another unit
    clock            decisions are logged a step late, or a step early
    version          none of these explains it alone, and several steps differ

A cause that is named has made every step fit that it was tested on. Two causes at once are not looked for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Budget, Deadline
from soid.oracle.log_readings import (
    NumberColumn,
    ReadSteps,
    as_rounded,
    conversions,
    converted,
    number_columns,
    shifted,
)
from soid.oracle.log_walk import ComparedStep, Explores, Fit, LogWalk
from soid.oracle.step_runs import StepRuns, Values
from soid.program.types import FloatType, IntType, show
from soid.program.units import unit_conversion
from soid.query.words import listed
from soid.scenario.trace import Step

#: steps before and after the first difference on which a cause is tried first
_BEFORE, _AFTER = 1000, 200
#: steps that are explored together for a value of what is not logged
_TOGETHER: Final = (1, 4, 12)

#: readings that explain a log; if there are more, the log tells little
_AMBIGUOUS: Final = 3

#: how a step of a part fits, whose state is not known
_IN_PART: Final = (Fit.FITS, Fit.POSSIBLE, Fit.UNLINKED)
#: steps after which the time is looked at
_LOOKED: Final = 1024

STATE, ROUNDING, UNIT, CLOCK, VERSION = "unlogged state", "rounding", "unit", "clock", "version"


@final
class LikelyCause(Struct, frozen=True):
    """A reason why log and program may differ, and whether it explains the log."""

    cause: str
    explains: bool | None  # None: that is not settled
    words: str


@final
class MismatchCauses(Struct, frozen=True):
    """The tests of one log whose first difference is known."""

    steps: Sequence[Step]
    runs: StepRuns
    first: ComparedStep  # that differs
    differs: int  # how many steps
    from_start: bool
    until: Deadline = Deadline(None)

    def tested(self, seconds: float | None) -> Iterator[LikelyCause]:
        """Each cause that applies, in the order of likelihood; the version is judged by all others.

        Each test may take so many seconds.
        """
        kind = MismatchCauses
        first = [self._in_time(test, seconds) for test in (kind._state, kind._rounding)]
        later = [self._in_time(test, seconds) for test in (kind._unit, kind._clock)]
        others = [each for each in (*first, *later) if each is not None]
        yield from (each for each in (*first, self._version(others), *later) if each is not None)

    def _in_time(
        self, test: Callable[[MismatchCauses], LikelyCause | None], seconds: float | None
    ) -> LikelyCause | None:
        """A test's result; one that explains nothing says so only if it had the time."""
        until = Budget(seconds).started()
        found = test(replace(self, until=until))
        if found is None or found.explains or not (until.is_over or self.runs.context.cancel.cancelled):
            return found
        return replace(found, explains=None, words="there was no time left to test it")

    def _version(self, others: Sequence[LikelyCause]) -> LikelyCause | None:
        if self.differs < 2 or any(each.explains is not False for each in others):
            return None
        tested = ", ".join(each.cause for each in others) or "none applies"
        words = f"{self.differs} steps differ, and no other cause explains them alone (tested: {tested}): another "
        return LikelyCause(VERSION, None, f"{words}version of the program is left, or several causes at once")

    # --- what is not logged

    def _state(self) -> LikelyCause | None:
        free = self.first.step.unlogged
        if not free:
            return None
        places = (
            [0, self.first.place] if self.from_start and 0 < self.first.place < _TOGETHER[-1] else [self.first.place]
        )
        for begin in places:
            found = self._values(begin)
            if found is not None:
                return found
        names = listed(list(free), "and")
        return LikelyCause(STATE, False, f"no value of {names} was found with which the steps after it fit as well")

    def _values(self, begin: int) -> LikelyCause | None:
        """A value of what is not logged with which the log fits from a place on."""
        end = min(len(self.steps), self.first.place + _AFTER)
        for count in _TOGETHER:
            values = self._fitting(begin, min(len(self.steps), max(self.first.place, begin) + count))
            if values is None:
                return None
            if self._fits_with(values, begin, end):
                taken = self._taken(begin)
                for path in [each for each in values if each in taken]:  # as little as possible is another value
                    as_taken = {**values, path: taken[path]}
                    values = as_taken if self._fits_with(as_taken, begin, end) else values
                return LikelyCause(STATE, True, self._told(begin, end, values))
        return None

    def _fits_with(self, values: Values, begin: int, end: int) -> bool:
        state = {v.path: values[v.path] for v in self.runs.state if v.path in values}
        walk = LogWalk(self._with(values)[begin:end], self.runs, False, self.until, Explores.DIFFERING, state)
        return self._fits(walk) == end - begin

    def _taken(self, begin: int) -> Values:
        """What the log was compared with, of what it does not have at a step."""
        return {**self.runs.constant, **(self.runs.initial if begin == 0 and self.from_start else self.first.held)}

    def _fitting(self, begin: int, end: int) -> Values | None:
        """Values of what is not logged before a step with which it and those after it give what is logged."""
        steps = [self.runs.joined(self.steps[at], self._at(at + 1)) for at in range(begin, end)]
        if any(step.time != steps[0].time + number for number, step in enumerate(steps)):
            return None
        moment = dataclasses.replace(self.runs.moment(steps[0], {}), derived={})
        found = self.runs.together(steps, moment, self.until)
        return None if found is None else {path: found.inputs[path] for path in moment.assumed}

    def _with(self, values: Values) -> ReadSteps:
        """The log with values of inputs that the program never writes."""
        constant = {path: bits for path, bits in values.items() if path in self.runs.constant}

        def read(place: int) -> Step:
            step = self.steps[place]
            missing = tuple(path for path in step.unlogged if path not in constant)
            return dataclasses.replace(step, inputs={**step.inputs, **constant}, unlogged=missing)

        return ReadSteps(self.steps, read)

    def _told(self, begin: int, end: int, values: Values) -> str:
        taken = self._taken(begin)
        other = {path: bits for path, bits in values.items() if taken.get(path) != bits}
        others = [f"{path} = {self._shown(path, bits)}" for path, bits in other.items()]
        shown = listed(others, "and") if others else "the state that is logged"
        before = [self._shown(path, taken[path]) for path in other if path in taken]
        instead = listed(before, "and") if before else ""
        step = self.steps[begin].time
        told = f"with {shown} before step {step}" + (f" instead of {instead}" if instead else "")
        told += f", {end - begin} of {end - begin} steps fit from there on"
        if begin == 0 and self.from_start:
            told += "; then the log does not begin at the program's first call (`from_start`)"
        return told

    def _shown(self, path: str, bits: int) -> str:
        return show(self.runs.interface.variable(path).type, bits)

    def _at(self, place: int) -> Step | None:
        return self.steps[place] if place < len(self.steps) else None

    # --- other readings of the log

    def _rounding(self) -> LikelyCause | None:
        """Numbers that the log has with fewer digits than the manifest says."""
        finer = [
            column
            for column in self._columns()
            if column.decimals is not None
            and isinstance(column.variable.type, FloatType)
            and not self._is_declared(column)
        ]
        if not finer:
            return None
        count = self._explains(self._rounded(finer))
        if count is None:
            return LikelyCause(ROUNDING, False, "no state that rounds to the logged values gives what is logged")
        named = finer
        for column in finer if len(finer) > 1 else ():
            alone = self._explains(self._rounded([column]))
            if alone is not None:
                named, count = [column], alone
                break
        told = listed([f"{each.name} as rounded to {_decimals(each.decimals or 0)}" for each in named], "and")
        remedy = f'[variables] "{named[0].variable.path}" = {{ logged = {{ decimals = {named[0].decimals} }} }}'
        return LikelyCause(ROUNDING, True, f"with {told}, {self._amount(count)}: {remedy}")

    def _is_declared(self, column: NumberColumn) -> bool:
        """Whether the log is known to be rounded as coarsely."""
        declared = column.variable.decimals
        return declared is not None and column.decimals is not None and declared <= column.decimals

    def _rounded(self, columns: Sequence[NumberColumn]) -> ReadSteps:
        def read(place: int) -> Step:
            step = self.steps[place]
            for column in columns:
                step = as_rounded(step, column, column.decimals or 0)
            return step

        return ReadSteps(self.steps, read)

    def _unit(self) -> LikelyCause | None:
        columns = [each for each in self._columns() if each.is_measured]
        if not columns:
            return None
        found, counts = [], []
        for column in columns:
            for written, meant in conversions(column):
                count = self._explains(self._converted(column, written, meant))
                if count is not None:
                    found.append(f"with {column.name} read as {written} instead of {meant}")
                    counts.append(count)
        if len(found) > _AMBIGUOUS:
            words = f"{len(found)} readings of units fit, too many to name one of them"
            return LikelyCause(UNIT, None, f"{words}: {'; '.join(found)}")
        if found:
            return LikelyCause(UNIT, True, f"{'; or '.join(found)}, {self._amount(min(counts))}")
        names = listed([column.name for column in columns], "and")
        return LikelyCause(UNIT, False, f"no usual unit of {names} explains it")

    def _converted(self, column: NumberColumn, written: str, meant: str) -> ReadSteps | None:
        conversion = unit_conversion(written, meant)
        whole = isinstance(column.variable.type, IntType)
        if whole and any(converted(step, column, conversion) is None for step in self._near):
            return None
        return ReadSteps(
            self.steps, lambda place: converted(self.steps[place], column, conversion) or self.steps[place]
        )

    def _clock(self) -> LikelyCause | None:
        if not any(step.decisions for step in self._near):
            return None
        for by, late in ((1, "late"), (-1, "early")):
            count = self._explains(shifted(self.steps, by))
            if count is not None:
                words = f"decisions are logged one step {late}: each taken for the step "
                return LikelyCause(CLOCK, True, f"{words}{'before' if by > 0 else 'after'} it, {self._amount(count)}")
        return LikelyCause(CLOCK, False, "the log does not fit one step earlier or later either")

    # --- whether a reading explains the log

    @property
    def _near(self) -> Sequence[Step]:
        return self.steps[max(0, self.first.place - _AFTER) : self.first.place + _AFTER]

    def _columns(self) -> Iterator[NumberColumn]:
        return number_columns(self._near, self.runs.interface)

    def _explains(self, read: ReadSteps | None) -> int | None:
        """So many steps from the first on fit if the log is read so; None: one does not.

        A part around the first difference is tried before. What is tested includes the first difference.
        """
        if read is None:
            return None
        begin, end = max(0, self.first.place - _BEFORE), min(len(read), self.first.place + _AFTER)
        part = LogWalk(read[begin:end], self.runs, False, self.until, Explores.DIFFERING)
        if begin and not self._fits(part, _IN_PART):
            return None
        count = self._fits(LogWalk(read, self.runs, self.from_start, self.until, Explores.DIFFERING))
        return count if count is not None and count > self.first.place else None

    def _fits(self, walk: LogWalk, fits: Collection[Fit] = (Fit.FITS, Fit.POSSIBLE)) -> int | None:
        """How many steps of a walk fit, as far as there is time; None: one does not."""
        count = 0
        for count, compared in enumerate(walk, start=1):
            if self.until.is_over and (compared.fit is Fit.OPEN or count % _LOOKED == 0):
                return count - 1
            if compared.fit not in fits:
                return None
        return None if self.runs.context.cancel.cancelled else count

    def _amount(self, count: int) -> str:
        if count == len(self.steps):
            return f"all {count} steps fit"
        return f"the first {count} of {len(self.steps)} steps fit, and there was no time for the others"


def _decimals(count: int) -> str:
    return f"{count} decimal{'' if count == 1 else 's'}"
