"""Whether a log fits the program if it is read in another way: as a whole, with the first difference in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.budget import Budget, Deadline
from soid.oracle.log_walk import ComparedStep, Explores, Fit, LogWalk
from soid.oracle.step_runs import StepRuns, Values
from soid.scenario.trace import Step, Trace

#: steps before and after the first difference on which a cause is tried first
BEFORE, AFTER = 1000, 200
#: steps after which the time is looked at
_LOOKED: Final = 1024


@final
class Fitted(Struct, frozen=True):
    """What comes of a log that is read in another way."""

    explains: bool | None  # whether a run of the program gives all of it; None: that is not settled
    count: int = 0  # of the steps that fit, from the first on: there may have been no time for the others


REFUTED: Final = Fitted(False)
_UNSETTLED: Final = Fitted(None)
#: how a step fits, of which a run gives all steps before it too
_LINKED: Final = (Fit.FITS, Fit.POSSIBLE)


@final
class FittingLog(Struct, frozen=True):
    """A log whose first difference from the program is known."""

    trace: Trace
    runs: StepRuns
    first: ComparedStep  # that differs
    from_start: bool
    until: Deadline = Deadline(None)

    @property
    def steps(self) -> Sequence[Step]:
        return self.trace.steps

    @property
    def near(self) -> range:
        """Places around the first difference."""
        return range(max(0, self.first.place - AFTER), min(len(self.steps), self.first.place + AFTER))

    def read_as(
        self,
        read: Sequence[Step],
        *,
        from_start: bool | None = None,
        state: Values | None = None,
        exploring: float | None = None,
    ) -> Fitted:
        """Whether the log fits if it is read so; `state` is before its first step, where it does not begin there.

        A part around the first difference is tried before, whose steps may be explored for so many seconds. What is
        tested includes the first difference.
        """
        begin, end = max(0, self.first.place - BEFORE), min(len(read), self.first.place + AFTER)
        start = self.from_start if from_start is None else from_start
        until = self.until.sooner(Budget(exploring).started())
        known = (start, state) if begin == 0 else (False, None)
        part = LogWalk(read[begin:end], self.runs, known[0], until, Explores.DIFFERING, known[1])
        found = self._fitted(part, begin)
        if not found.explains or (begin, end) == (0, len(read)):
            return found
        return self._fitted(LogWalk(read, self.runs, start, self.until, Explores.DIFFERING, state))

    def goes_on(self, read: Sequence[Step], state: Values) -> Fitted:
        """Whether the log fits from the first difference on, if it is read so and the state before it is known."""
        place = self.first.place
        return self._fitted(LogWalk(read[place:], self.runs, False, self.until, Explores.DIFFERING, state), place)

    def _fitted(self, walk: LogWalk, place: int = 0) -> Fitted:
        """What a walk finds, as far as there is time; its first step has that place in the log.

        A walk that begins in the middle does not know the state: that no run links its steps says nothing.
        """
        possible = _LINKED if place == 0 or walk.state is not None else (*_LINKED, Fit.UNLINKED)
        count = 0
        for count, compared in enumerate(walk, start=1):
            if self.until.is_over and (compared.fit is Fit.OPEN or count % _LOOKED == 0):
                return Fitted(True, count - 1) if place + count - 1 > self.first.place else _UNSETTLED
            if compared.fit is Fit.DIFFERS:
                return REFUTED
            if compared.fit not in possible:
                return _UNSETTLED
        return _UNSETTLED if self.runs.context.cancel.cancelled else Fitted(True, count)

    def amount(self, count: int) -> str:
        """How many steps fit."""
        if count == len(self.steps):
            return f"all {count} steps fit"
        return f"the first {count} of {len(self.steps)} steps fit, and there was no time for the others"
