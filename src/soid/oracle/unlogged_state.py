"""Whether another value of what is not logged explains why log and program differ.

The program is deterministic: its state is what its start and its inputs make of it, and cannot jump between two calls.
Another value is possible only where a value was taken for granted.

    the start      the manifest says that the log begins with the program's first call (`from_start`). If it does not,
                   the state before the first step was another one. It has to explain all steps from there on.
    a setting      an input that the program never writes has the value that it starts with, unless something else
                   sets it: in the whole log, or from some step on.

Where the log begins in the middle, or after a gap, nothing was taken for granted: a step differs there only if no value
gives what is logged.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.oracle.fitting_log import Fitted, FittingLog
from soid.oracle.likely_cause import STATE, TestedCause
from soid.oracle.log_readings import ReadSteps, run_begin, run_end
from soid.oracle.log_walk import Explores, Fit, LogWalk
from soid.oracle.step_runs import ExploredStep, Values
from soid.program.domain import every_value
from soid.program.types import show
from soid.query.words import listed
from soid.scenario.trace import Keyframe, Step

#: steps from the first difference on that are explored together for a value of what is not logged
_TOGETHER: Final = (1, 4, 12)
#: steps before it that are explored with them
_FAR: Final = 24
#: states before the first step that are followed one by one
_FOLLOWED: Final = 512
#: starts that are tried on the whole log
_TRIED: Final = 4


#: what has to be wrong for another start
_NOT_FROM_START: Final = "then `from_start` is wrong: the log does not begin with the program's first call"
_FROM_START: Final = "if the log begins with the program's first call, as `from_start` says"


@final
class _Starts(Struct, frozen=True):
    """States before the log's first step with which the first difference is none."""

    values: tuple[Values, ...]
    settled: bool  # every other one leads to a difference, or to what one of these leads to


@final
class UnloggedState(Struct, frozen=True):
    """The test of one log."""

    log: FittingLog

    def tested(self) -> TestedCause | None:
        """What another value explains; None: all is logged."""
        begin = run_begin(self.log.steps, self.log.first.place)
        state = self._start() if self.log.from_start and begin == 0 else self._middle(begin)
        found = [each for each in (self._setting(), state) if each is not None]
        explaining = next((each for each in found if each.explains), None)
        if explaining is not None or not found:
            return explaining
        settled = all(each.explains is False for each in found)
        return TestedCause(STATE, False if settled else None, "; ".join(each.words for each in found))

    def _state(self, step: Step) -> list[str]:
        """The state that a step does not have."""
        return [v.path for v in self.log.runs.state if v.path in step.unlogged]

    def _middle(self, begin: int) -> TestedCause | None:
        """No start was taken for granted: the step was compared for every value that may have been there."""
        first = self.log.first.step
        names = [path for path in first.unlogged if path not in self.log.runs.constant]
        if not names:
            return None
        where = f"before step {self.log.steps[begin].time}{', after a gap in the log' if begin else ''}"
        were = "was" if len(names) == 1 else "were"
        words = f"whatever {listed(names, 'and')} {were} {where} ({_domains(names)}), step {first.time} does not fit"
        return TestedCause(STATE, False, words)

    # --- the start

    def _start(self) -> TestedCause | None:
        """Whether the log fits if it does not begin with the program's first call."""
        steps, runs, first = self.log.steps, self.log.runs, self.log.first.step
        before = f"before step {steps[0].time}"
        if runs.other_start(steps[0]):
            return self._logged_start(before)
        names = self._state(steps[0])
        if not names:
            return None
        starts = self._followed(names) or self._explored(names)
        settled = starts.settled and len(starts.values) <= _TRIED
        for values in starts.values[:_TRIED]:
            fitted = self._fits_from(values)
            if fitted.explains:
                told = f"with {self._other(self._nearest(values), runs.initial)} {before}"
                told += f", {self.log.amount(fitted.count)}; {_NOT_FROM_START}"
                return TestedCause(STATE, True, told, _FROM_START)
            settled = settled and fitted.explains is False
        whatever = f"{listed(names, 'and')} {before} ({_domains(names)})"
        if settled:
            return TestedCause(STATE, False, f"no value of {whatever} explains what is logged at step {first.time}")
        return TestedCause(STATE, None, f"it is not settled whether another value of {whatever} explains it")

    def _logged_start(self, before: str) -> TestedCause:
        """Whether the log goes on from the state that it has before its first step: the program starts with another."""
        fitted, told = self.log.read_as(self.log.steps, from_start=False), f"the state that is logged {before}"
        if fitted.explains:
            words = f"with {told}, {self.log.amount(fitted.count)}; {_NOT_FROM_START}"
            return TestedCause(STATE, True, words, _FROM_START)
        if fitted.explains is None:
            return TestedCause(STATE, None, f"it is not settled whether the log goes on from {told}")
        return TestedCause(STATE, False, f"the log does not go on from {told} either")

    def _fits_from(self, values: Values) -> Fitted:
        return self.log.read_as(self.log.steps, from_start=False, state=values)

    def _nearest(self, values: Values) -> Values:
        """As little as possible is another value than at the program's start."""
        for path in values:
            as_started = {**values, path: self.log.runs.initial.get(path, values[path])}
            if as_started != values and self._fits_from(as_started).explains:
                values = as_started
        return values

    def _followed(self, names: Sequence[str]) -> _Starts | None:
        """Every start is followed to the first difference; None: there are too many, or they cannot be followed."""
        log, place = self.log, self.log.first.place
        starts = self._every(names)
        if starts is None:
            return None
        initial = starts[0]
        states = {tuple(start.items()): start for start in starts}  # by the state that it leads to
        for at in range(place + 1):
            if list(states.values()) == [initial]:
                return _Starts((), settled=True)  # all others lead there, or nowhere
            following = log.steps[at + 1] if at + 1 < len(log.steps) else None
            step = log.runs.joined(log.steps[at], following)
            wanted = self._state(log.steps[at] if following is None else following)
            after: dict[tuple[tuple[str, int], ...], Values] = {}
            for state, start in states.items():
                found = log.runs.explored(step, dict(state), log.until)
                if found.agrees is None or (found.agrees and any(path not in found.known for path in wanted)):
                    return None
                if found.agrees:
                    after.setdefault(tuple((path, found.known[path]) for path in wanted), start)
            states = after
        return _Starts(tuple(states.values()), settled=True)

    def _every(self, names: Sequence[str]) -> list[Values] | None:
        """Every start that the domains allow, that of the program first, then by how many values differ from it."""
        variables = [self.log.runs.interface.variable(path) for path in names]
        values = [every_value(v.type, v.domain, _FOLLOWED) for v in variables]
        listed_values = [each for each in values if each is not None]
        if len(listed_values) < len(values) or math.prod(map(len, listed_values)) > _FOLLOWED:
            return None
        initial = {
            path: self.log.runs.initial.get(path, each[0]) for path, each in zip(names, listed_values, strict=True)
        }
        starts = (dict(zip(names, each, strict=True)) for each in itertools.product(*listed_values))
        others = [start for start in starts if start != initial]
        return [initial, *sorted(others, key=lambda start: sum(start[path] != initial[path] for path in names))]

    def _explored(self, names: Sequence[str]) -> _Starts:
        """Starts that are found by exploring the steps up to the first difference together, if these are few."""
        log, place = self.log, self.log.first.place
        if place >= _FAR:
            walk = LogWalk(log.steps[: place + 1], log.runs, False, log.until, Explores.ALL)
            return _Starts((), settled=any(each.fit is Fit.DIFFERS for each in walk))
        values = []
        for count in _TOGETHER:
            found = self._together(0, place + count, log.runs.moment(log.steps[0], {}))
            if found.agrees is False:
                return _Starts((), settled=True)
            if found.agrees:
                values.append({path: found.inputs[path] for path in names})
        return _Starts(tuple(values), settled=False)

    def _together(self, begin: int, most: int, moment: Keyframe) -> ExploredStep:
        """Steps in a row, at most so many, explored together from a moment of the first."""
        steps, runs = self.log.steps, self.log.runs
        end = run_end(steps, begin, most)
        following = [*steps[begin + 1 : end], steps[end] if end < len(steps) else None]
        joined = [runs.joined(steps[begin + at], each) for at, each in enumerate(following)]
        return runs.together(joined, dataclasses.replace(moment, decisions=joined[0].decisions), self.log.until)

    # --- a setting

    def _setting(self) -> TestedCause | None:
        """Whether the log fits with another value of what the program never writes."""
        log, first = self.log, self.log.first
        names = [path for path in first.step.unlogged if path in log.runs.constant]
        if not names:
            return None
        moment = log.runs.moment(first.step, first.held)
        moment = dataclasses.replace(
            moment, derived={path: how for path, how in moment.derived.items() if path not in names}
        )
        certain = all(path in first.known for path in self._state(first.step))
        told = listed(names, "and")
        for count in _TOGETHER:
            found = self._together(first.place, count, moment)
            if found.agrees is False and certain:
                return TestedCause(STATE, False, f"no value of {told}, which the program never writes, explains it")
            if not found.agrees:
                break
            explained = self._set(names, found)
            if explained is not None:
                return explained
        return TestedCause(STATE, None, f"no value of {told}, which the program never writes, was found to explain it")

    def _set(self, names: Sequence[str], found: ExploredStep) -> TestedCause | None:
        log, first = self.log, self.log.first
        values = {path: found.inputs[path] for path in names}
        state = {path: found.inputs[path] for path in self._state(first.step)}
        for path in names:  # as little as possible is another value
            as_started = {**values, path: log.runs.constant[path]}
            values = as_started if log.goes_on(self._with(as_started), state).explains else values
        told = f"with {self._other(values, log.runs.constant)}"
        why = "the program never writes it: something else sets it, or another version starts with it"
        whole = log.read_as(self._with(values))
        if whole.explains:
            return TestedCause(STATE, True, f"{told} in all steps, {log.amount(whole.count)}; {why}")
        later = log.goes_on(self._with(values), state)
        if later.explains:
            count = f"{later.count} of {len(log.steps) - first.place} steps fit from there on"
            unless = f"if {listed(names, 'and')} stayed as the program starts"
            return TestedCause(STATE, True, f"{told} from step {first.step.time} on, {count}; {why}", unless)
        return None

    def _with(self, values: Values) -> ReadSteps:
        """The log with values of inputs that the program never writes."""
        steps = self.log.steps

        def read(place: int) -> Step:
            step = steps[place]
            missing = tuple(path for path in step.unlogged if path not in values)
            given = {path: bits for path, bits in values.items() if path in step.unlogged}
            return dataclasses.replace(step, inputs={**step.inputs, **given}, unlogged=missing)

        return ReadSteps(steps, read)

    def _other(self, values: Values, taken: Values) -> str:
        """Values that are not those that were taken for granted, in words."""
        other = {path: bits for path, bits in values.items() if taken.get(path) != bits}
        shown = listed([f"{path} = {self._shown(path, bits)}" for path, bits in other.items()], "and")
        instead = listed([self._shown(path, taken[path]) for path in other if path in taken], "and")
        return f"{shown} instead of {instead}" if instead else shown

    def _shown(self, path: str, bits: int) -> str:
        return show(self.log.runs.interface.variable(path).type, bits)


def _domains(names: Sequence[str]) -> str:
    return "in its domain" if len(names) == 1 else "in their domains"
