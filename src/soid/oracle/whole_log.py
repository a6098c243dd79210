"""The check of a whole log: in how many steps log and program agree, where they part, and what was not logged.

What the check claims of a log that fits is that a run of the program gives all that is logged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import PurePath
from typing import Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.budget import Budget
from soid.documents import JsonValue
from soid.oracle.fitting_log import FittingLog
from soid.oracle.inquiry import Context, QuestionProgress
from soid.oracle.likely_cause import LikelyCause
from soid.oracle.log_walk import EXPLORING, ComparedStep, Fit, LogWalk
from soid.oracle.mismatch_causes import MismatchCauses
from soid.oracle.step_runs import StepRuns
from soid.program.interface import Interface, Role, Variable
from soid.program.types import json_value
from soid.scenario.trace import Step, Trace
from soid.shown import Shown

#: partings, and changes of one value, that a result has at most
LISTED: Final = 100


@final
class LogVerdict(Enum):
    """What comes out for a log as a whole."""

    FITS = "fits"  # a run of the program gives all that is logged
    DIFFERS = "differs"  # none does
    OPEN = "open"  # that is not settled


@final
class LogParting(Struct, frozen=True):
    """A step at which log and program differ."""

    step: int
    words: str
    source: str = ""  # file:line


@final
class ValueChange(Struct, frozen=True):
    """From this step on a value is another one."""

    step: int
    value: JsonValue | None  # None: it is not known


@final
class UnloggedValue(Struct, frozen=True):
    """A decision, or an input, that some steps do not have: what it was."""

    name: str
    missing: int  # steps that do not have it
    derived: int  # in how many of them it follows
    since: str  # of state: what it follows from first
    changed: int  # how often it changed, as far as it is not logged
    changes: tuple[ValueChange, ...]

    def at(self, step: int) -> JsonValue | None:
        """Its value at a step that does not have it; None: that is not known, or not among the changes."""
        found = [change for change in self.changes if change.step <= step]
        cut = self.changed > len(self.changes) and found == list(self.changes)
        return found[-1].value if found and not (cut and found[-1].step != step) else None


@final
class LogComparison(Shown, Struct, frozen=True):
    """What the check of a log has found; this is its JSON as well."""

    log: str
    steps: int  # of the log
    compared: int  # so many of them, from the first on
    fits: int
    possible: int
    unlinked: int
    differs: int
    open: int
    explored: int  # the others were only run
    values: int  # logged outputs that were compared; without one, nothing is shown
    gaps: int  # steps between which calls are or may be missing: what is after one is compared on its own
    partings: tuple[LogParting, ...]  # the first of them
    decisions: tuple[UnloggedValue, ...]
    state: tuple[UnloggedValue, ...]
    cut: int | None  # from this step on there was no time to find out what was not logged
    causes: tuple[LikelyCause, ...] = ()
    warnings: tuple[str, ...] = ()  # what is strange about the log itself, in sentences
    perceived: tuple[UnloggedValue, ...] = ()  # inputs that are no state; earlier versions kept them with the state
    by_hand: int = 0  # steps before which the run was changed by hand: what is after is compared on its own

    def __repr__(self) -> str:
        return f"LogComparison({PurePath(self.log).name}: {self.verdict.value}, {self.compared} of {self.steps} steps)"

    def shortened(self, most: int = LISTED) -> LogComparison:
        """The same with the first partings and changes only."""
        decisions, state, perceived = (
            tuple(replace(each, changes=each.changes[:most]) for each in values)
            for values in (self.decisions, self.state, self.perceived)
        )
        partings = self.partings[:most]
        return replace(self, partings=partings, decisions=decisions, state=state, perceived=perceived)

    def within(self, folder: str) -> LogComparison:
        """The same with the names of files as they are in a folder."""
        partings = tuple(replace(each, source=each.source.removeprefix(folder)) for each in self.partings)
        warnings = tuple(each.replace(folder, "") for each in self.warnings)
        return replace(self, log=self.log.removeprefix(folder), partings=partings, warnings=warnings)

    @property
    def verdict(self) -> LogVerdict:
        if self.differs:
            return LogVerdict.DIFFERS
        settled = self.values > 0 and self.fits + self.possible == self.steps
        return LogVerdict.FITS if settled else LogVerdict.OPEN


@final
class _Track(Struct):
    """What is found of one unlogged value so far."""

    variable: Variable
    most: int
    missing: int = 0
    derived: int = 0
    since: str = ""
    changed: int = 0
    last: int | None = -1  # bits; None: not known
    changes: list[ValueChange] = field(default_factory=list)

    def note(self, step: int, bits: int | None) -> None:
        self.missing += 1
        self.derived += bits is not None
        if bits != self.last:
            self.last, self.changed = bits, self.changed + 1
            if len(self.changes) < self.most:
                value = None if bits is None else json_value(self.variable.type, bits)
                self.changes.append(ValueChange(step, value))

    def result(self, name: str) -> UnloggedValue:
        return UnloggedValue(name, self.missing, self.derived, self.since, self.changed, tuple(self.changes))


@final
class LogTally:
    """Counts what a walk finds, without keeping the steps."""

    def __init__(self, interface: Interface, *, from_start: bool, most: int = LISTED) -> None:
        self._decisions = {v.path: _Track(v, most) for v in interface.decisions}
        self._inputs = {v.path: _Track(v, most) for v in interface.inputs}
        self._from_start = from_start
        self._most = most
        self._fits: Counter[Fit] = Counter()
        self._explored = self._values = self._gaps = self._by_hand = 0
        self._last: Step | None = None  # the step before
        self._partings: list[LogParting] = []
        self._cut: int | None = None
        self.first: ComparedStep | None = None  # that differs

    @property
    def compared(self) -> int:
        return self._fits.total()

    def add(self, found: ComparedStep, unsure: Iterable[str]) -> None:
        step = found.step
        self._fits[found.fit] += 1
        self._explored += found.explored
        self._values += len(step.decisions)
        self._by_hand += self._last is not None and step.by_hand
        self._gaps += self._last is not None and not step.by_hand and not self._last.precedes(step)
        self._last = step
        if found.cut and self._cut is None:
            self._cut = step.time
        if found.fit is Fit.DIFFERS:
            self.first = self.first or found
            if len(self._partings) < self._most:
                self._partings.append(LogParting(step.time, found.words, step.source))
        for path, track in self._decisions.items():
            if path not in step.decisions:
                track.note(step.time, found.decided.get(path))
        for path in unsure:
            if path in step.unlogged:
                self._note_input(path, step.time, found.known.get(path), found.place)

    def _note_input(self, path: str, step: int, bits: int | None, place: int) -> None:
        track = self._inputs[path]
        if bits is not None and not track.since:
            track.since = "its first call" if self._from_start and place == 0 else f"step {step}"
        track.note(step, bits)

    def result(self, log: str, steps: int) -> LogComparison:
        decisions, inputs = (
            {name: track.result(name) for name, track in tracks.items() if track.missing}
            for tracks in (self._decisions, self._inputs)
        )
        is_state = {name: self._inputs[name].variable.role is Role.STATE for name in inputs}
        return LogComparison(
            log=log,
            steps=steps,
            compared=self.compared,
            fits=self._fits[Fit.FITS],
            possible=self._fits[Fit.POSSIBLE],
            unlinked=self._fits[Fit.UNLINKED],
            differs=self._fits[Fit.DIFFERS],
            open=self._fits[Fit.OPEN],
            explored=self._explored,
            values=self._values,
            gaps=self._gaps,
            by_hand=self._by_hand,
            partings=tuple(self._partings),
            decisions=tuple(decisions.values()),
            state=tuple(value for name, value in inputs.items() if is_state[name]),
            cut=self._cut,
            perceived=tuple(value for name, value in inputs.items() if not is_state[name]),
        )


#: steps between two reports of progress
_REPORTED: Final = 1000


def check_log(
    trace: Trace,
    context: Context,
    *,
    from_start: bool,
    seconds: float | None = EXPLORING,
    most: int = LISTED,
    causes: bool = True,
    note: Callable[[ComparedStep], None] = lambda _: None,
) -> LogComparison:
    """Compare a whole log with the program; where they differ, test why.

    `seconds` are for exploring, and for testing each cause; running the compiled program takes what it takes.
    Work that is called off ends with what was compared so far.
    """
    runs = StepRuns(trace.interface, context)
    tally = LogTally(trace.interface, from_start=from_start, most=most)
    for found in LogWalk(trace.steps, runs, from_start, Budget(seconds).started()):
        if tally.compared % _REPORTED == 0:
            context.progress(QuestionProgress(f"comparing log and program, step {tally.compared} of {len(trace)}"))
        tally.add(found, runs.unsure(found.step))
        note(found)
    result = replace(tally.result(trace.source, len(trace)), warnings=trace.warnings)
    if tally.first is None or not causes or context.cancel.cancelled:
        return result
    context.progress(QuestionProgress("testing why log and program differ"))
    tests = MismatchCauses(FittingLog(trace, runs, tally.first, from_start), result.differs)
    return replace(result, causes=tests.tested(seconds))
