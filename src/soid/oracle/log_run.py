"""Runs the program over its log: state that was not logged follows from it, and logged decisions are compared with it.

The program is deterministic, so its state before a step follows from the state before an earlier one and from what it
perceived since. There are two places to begin: the program's first call, if the log has that (`[trace] from_start`),
and a step after which the state is the same whatever it was before (a counter that is reset). Where everything is known
the compiled program is run, thousands of steps at once; where something is not, or was logged rounded, the step is
explored for all values that it may have had. What is not the same for all of them is not known afterwards. Nor is
anything after a step at which log and program differ.
"""

from __future__ import annotations

import bisect
import dataclasses
import threading
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple, final

from msgspec import Struct

from soid.allowance import MORE_TIME, allowance, look
from soid.budget import Budget, Deadline
from soid.oracle.inquiry import Context
from soid.oracle.possible_facts import fitted
from soid.oracle.step_runs import StepRuns, Values
from soid.program.interface import Role
from soid.scenario.family import describe_domain
from soid.scenario.logs.domain_report import is_limited
from soid.scenario.origin import FIRST_CALL
from soid.scenario.trace import Keyframe, Step, Trace, lapse_words

#: steps that the compiled program runs at once
_BATCH: Final = 4096
#: steps between places on the way that are remembered; the next moment of a sweep is often right after the last one
_APART: Final = 32
#: so many steps are run in the time in which one is explored
_QUICKNESS: Final = 200
#: steps after a moment in which a run from the first call has to give what is logged: if they are explored, if run
_AHEAD_EXPLORED, _AHEAD_RUN = 64, 4096
#: steps in a row that are explored together for a state from which they are as logged
_TOGETHER: Final = 12
#: of the time for reading a log: so much is for deriving what is not logged
_SHARE: Final = 0.5
#: seconds after which it is estimated how long a run takes
_ESTIMATED: Final = 2.0
#: how many steps before a moment are looked at for a place to begin, one after the other
_WINDOWS: Final = (4, 32, 256)


@final
class LogState(Struct, frozen=True):
    """What is known before a step besides what is logged there."""

    values: Values  # of inputs that are not logged
    since: int | None  # the step that the state is known from; None: the program's first call


class _Advance(NamedTuple):
    """How far a run over the log has come."""

    at: int  # the place of the next step
    known: Values  # before it
    differs: bool = False  # the program does not give what is logged in the step before


class _Ahead(NamedTuple):
    """What is logged from a place on, as far as it was compared with a run from the first call."""

    begin: int
    at: int
    known: Values  # before the step at `at`; nothing where the comparison ends


@final
class LogRun:
    """The runs of one program over one log, as far as they were needed."""

    def __init__(self, trace: Trace, context: Context, *, from_start: bool, runs: StepRuns | None = None) -> None:
        self._trace = trace
        self._context = context
        self._runs = runs or StepRuns(trace.interface, context)
        self._declared = from_start
        self._from_start = from_start and not self._runs.other_start(trace.steps[0])
        self._refuted: int | None = None  # the step that speaks against a run from the first call
        self._late = False  # the last run from the first call was ended for want of time
        self._break: int | None = None  # the first place that is not, or may not be, the call after the one before
        self._reached: list[tuple[int, Values]] = []  # places that runs from the first call came to, and what is known
        self._ahead = _Ahead(0, 0, {})
        self._keyframes: dict[int, Keyframe] = {}  # those that lack inputs and were asked for, by step
        self._outputs: dict[int, Values] = {}  # that follow, of the moments that were shown
        self._lock = threading.Lock()

    def over(self, trace: Trace) -> LogRun:
        """The runs of the same program over another log; steps that are alike are explored once."""
        runs = self._runs if trace.interface == self._trace.interface else None
        return LogRun(trace, self._context, from_start=self._declared, runs=runs)

    def keyframe(self, step: int) -> Keyframe:
        """A moment, with all that follows for its inputs; what follows for its outputs is found where it is shown."""
        found = self._trace.keyframe(step)
        if found.assumed:
            with self._lock:
                if step not in self._keyframes:
                    self._keyframes[step] = self._derived(found)
                found = self._keyframes[step]
        return dataclasses.replace(found, follow=partial(self._outputs_of, found))

    def _outputs_of(self, moment: Keyframe) -> Values:
        """The outputs of a moment that are not logged and follow."""
        with self._lock:
            if moment.step not in self._outputs:
                self._outputs[moment.step] = self._following(moment)
            return self._outputs[moment.step]

    def _following(self, moment: Keyframe) -> Values:
        """What is the same for all values that the inputs may have had; nothing if log and program differ there."""
        if not moment.open_outputs:
            return {}
        at = self._trace.place(moment.step)
        here, *after = self._trace.steps[at : at + 2]
        known = {path: moment.inputs[path] for path in moment.derived}
        until = Budget(self._seconds).started()
        found = self._runs.explored(self._runs.joined(here, after[0] if after else None), known, until)
        given = {**found.decided, **{f"{path}'": bits for path, bits in found.known.items()}}
        return {name: given[name] for name in moment.open_outputs if name in given}

    def _derived(self, found: Keyframe) -> Keyframe:
        step, until = found.step, Budget(self._seconds).started()
        if (state := self._before(step, found.assumed, until)) is not None:
            how = FIRST_CALL if state.since is None else f"step {state.since}{self._limits(state.since, step)}"
            found = found.deriving(state.values, dict.fromkeys(state.values, how))
        if any(self._trace.interface.variable(path).role is Role.STATE for path in found.assumed):
            found = dataclasses.replace(found, underived=self._underived(self._trace.place(step)))
        return fitted(found, self._runs.asking(until)) if found.assumed else found

    @property
    def _seconds(self) -> float | None:
        """For deriving what is known at a moment: a part of the time, because what does not follow is asked about."""
        given = self._context.settings.opening_seconds, allowance().deadline.seconds_left
        return min((each * _SHARE for each in given if each is not None), default=None)

    # --- what is known before a step

    def _before(self, step: int, wanted: Sequence[str], until: Deadline) -> LogState | None:
        """What is known of inputs that are not logged at a step, as far as that is found out in time."""
        best: LogState | None = None
        place = self._trace.place(step)
        for begin, known, since in self._beginnings(place):
            values = self._forward(begin, place, known, until, from_start=since is None)
            if since is None and values and self._refutes_start(place, values, until):
                continue
            found = LogState({path: values[path] for path in wanted if path in values}, since)
            if best is None or len(found.values) > len(best.values):
                best = found
            if len(best.values) == len(wanted):
                break
        return best

    def _refutes_start(self, place: int, state: Values, until: Deadline) -> bool:
        """Whether what is logged from a place on speaks against a run from the program's first call over the log.

        From the state that it has at the place, the program does not give what is logged; from another state it may.
        """
        steps, now = self._trace.steps, self._ahead
        if not now.begin <= place < now.at:  # else the same run has been there
            now = _Ahead(place, place, state)
        begin, at, known = now
        end = min(len(steps), place + looks_ahead(steps[place], self._runs))
        while at < end and len(known) == len(state) and not until.is_over:
            look("deriving what is not logged")
            at, known, differs = self._advance(at, end, known, until)
            if differs and self._may_fit(steps[max(place, at - _TOGETHER) : at], until):
                self._from_start, self._refuted = False, steps[at - 1].time
                return True
            if at < len(steps) and not steps[at - 1].precedes(steps[at]):
                known = {}
        if not until.is_over:
            self._ahead = _Ahead(begin, at, known)
        return False

    def _may_fit(self, steps: Sequence[Step], until: Deadline) -> bool:
        """Whether the program may give what is logged in some steps in a row, from some state."""
        return self._runs.together(steps, self._runs.moment(steps[0], {}), until).agrees is not False

    def _limits(self, since: int, until: int) -> str:
        """The domains of what was not known on the way: another value there could leave something else."""
        steps = self._trace.steps[self._trace.place(since) : self._trace.place(until)]
        paths = dict.fromkeys(path for step in steps for path in self._runs.unsure(step) if path not in step.rounded)
        unknown = (self._trace.interface.variable(path) for path in paths)
        limits = [f"{v.path}: {describe_domain(v, v.domain)}" for v in unknown if is_limited(v)]
        return f" (whatever was not known since then, in its domain: {'; '.join(limits)})" if limits else ""

    def _beginnings(self, place: int) -> Iterator[tuple[int, Values, int | None]]:
        """Where to begin, what is known there, and the number of that step: what takes least time first."""
        steps = self._trace.steps
        first = self._unbroken_since(place)
        # the log's first step is no beginning where that is the first call: there, more is known
        begins = dict.fromkeys(max(first, place - window) for window in _WINDOWS)
        least = 1 if self._from_start else 0
        nearer: list[tuple[int, Values, int]] = [(at, {}, steps[at].time) for at in begins if least <= at < place]
        if not self._starts(place):
            yield from nearer
            return
        start, known = self._start(place)
        quickness = _QUICKNESS if self._runs.is_exact(steps[place]) else 1
        cost = (place - start) / quickness
        yield from (each for each in nearer if place - each[0] < cost)
        yield start, known, None
        yield from (each for each in nearer if place - each[0] >= cost)

    def _unbroken_since(self, place: int) -> int:
        """The first place, among those that are near, from which all steps are calls in a row."""
        steps, least = self._trace.steps, max(0, place - _WINDOWS[-1])
        while place > least and steps[place - 1].precedes(steps[place]):
            place -= 1
        return place

    def _starts(self, place: int) -> bool:
        """Whether the steps before a place may be calls in a row from the program's first one on."""
        return self._from_start and (self._break is None or place < self._break)

    def _start(self, place: int) -> tuple[int, Values]:
        """The program's first call, or the last place before `place` that a run from there came to."""
        nearest = bisect.bisect_right(self._reached, place, key=lambda reached: reached[0])
        return self._reached[nearest - 1] if nearest else (0, self._runs.initial)

    def _underived(self, place: int) -> str:
        """Why state does not follow at a place, and what would help, in a sentence; nothing if that is not clear."""
        steps = self._trace.steps
        for at in (self._unbroken_since(place), self._break):
            if at and at <= place and not steps[at - 1].precedes(steps[at]):
                return lapse_words(steps[at - 1], steps[at])
        if self._refuted is not None:
            said = f"A run from the program's first call does not give what is logged at step {self._refuted}"
            wrong = "the log does not begin with that call, as [trace] from_start says, or lacks calls"
            return f"{said}, and one from another state may: {wrong}."
        if not self._declared:
            return "If the log begins with the program's first call, say so: [trace] from_start = true."
        if self._late:
            return f"There was no time to run the program over all {place:,} steps before it. {MORE_TIME}"
        return ""

    def _forward(self, begin: int, end: int, known: Values, until: Deadline, *, from_start: bool) -> Values:
        """What is known before the step at place `end`, from what is known before the one at `begin`."""
        at, began = begin, time.monotonic()
        while at < end:
            look("deriving what is not logged")
            self._late = from_start and _is_late(at - begin, end - at, time.monotonic() - began, until)
            if until.is_over or self._late:
                return {}
            at, known, _ = self._advance(at, end, known, until)
            if from_start and not self._trace.steps[at - 1].precedes(self._trace.steps[at]):
                self._break = at
                return {}
            least = self._reached[-1][0] + (_APART if at < end else 1) if self._reached else 0
            if from_start and at >= least and not until.is_over:  # what time ran out for may be known later
                self._reached.append((at, known))
        return known

    def _advance(self, at: int, end: int, known: Values, until: Deadline) -> _Advance:
        """Go on from a place, by one step that is explored or by many that are run."""
        step = self._trace.steps[at]
        if not self._runs.is_open(step, known):
            return self._run(at, min(end, at + _BATCH), known, until)
        found = self._runs.explored(step, known, until)
        return _Advance(at + 1, found.known, found.agrees is False)

    # --- all is known: the compiled program is run

    def _run(self, begin: int, end: int, known: Values, until: Deadline) -> _Advance:
        """Run the steps from place `begin` on, until the end or to the first that differs."""
        steps = [self._trace.steps[begin]]
        for number in range(begin + 1, end):
            step = self._trace.steps[number]
            if not self._runs.is_exact(step) or not steps[-1].precedes(step):
                break
            steps.append(step)
        given = self._runs.outputs(steps, known)
        while given is None and len(steps) > 1:
            steps = steps[: len(steps) // 2]
            given = self._runs.outputs(steps, known)
        if given is None:
            return _Advance(begin + 1, {})
        for number, outputs in enumerate(given):
            following = steps[number + 1] if number + 1 < len(given) else None
            step = self._runs.joined(steps[number], following)
            if self._runs.differing(step, outputs):
                before = self._runs.left(given[number - 1]) if number else known
                found = self._runs.explored(step, before, until)
                return _Advance(begin + number + 1, found.known, found.agrees is False)
        return _Advance(begin + len(given), self._runs.left(given[-1]))


def looks_ahead(step: Step, runs: StepRuns) -> int:
    """In how many steps after one it is looked whether a run from the first call gives what is logged."""
    return _AHEAD_RUN if runs.is_exact(step) else _AHEAD_EXPLORED


def _is_late(done: int, left: int, seconds: float, until: Deadline) -> bool:
    """Whether a run that has done some steps in some seconds will not do the others in time."""
    rest = until.seconds_left
    if rest is None or seconds < _ESTIMATED:
        return until.is_over
    return seconds * left > rest * done
