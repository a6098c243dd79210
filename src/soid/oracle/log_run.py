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
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, final

from msgspec import Struct

from soid.allowance import look
from soid.engine.replay import NotAvailable, Returned
from soid.engine.summary import Decided
from soid.formula.build import TRUE
from soid.formula.checker import Impossible, Open, Possible
from soid.oracle.inquiry import Context, Inquiry
from soid.oracle.log_check import LoggedSteps, output_differences, state_differences
from soid.oracle.possible_facts import PossibleFacts, fitted
from soid.program.interface import Role
from soid.scenario.trace import FIRST_CALL, Keyframe, Step, Trace, is_constant

#: steps that the compiled program runs at once
_BATCH: Final = 4096
#: how many steps before a moment are looked at for a place to begin, one after the other
_WINDOWS: Final = (4, 32, 256)

Values = Mapping[str, int]  # bits by path


@final
class Parting(Struct, frozen=True):
    """A step at which log and program differ."""

    step: int
    words: str


@final
class LogState(Struct, frozen=True):
    """What is known before a step besides what is logged there."""

    values: Values  # of inputs that are not logged
    since: int | None  # the step that the state is known from; None: the program's first call


@final
class LogRun:
    """The runs of one program over one log, as far as they were needed."""

    def __init__(self, trace: Trace, context: Context, *, from_start: bool) -> None:
        self._trace = trace
        self._interface = trace.interface
        self._context = context
        self._from_start = from_start
        self._state = [v for v in self._interface.inputs if v.role is Role.STATE]
        self._constant = {v.path: v.initial for v in self._interface.inputs if is_constant(v) and v.initial is not None}
        self._keyframes: dict[int, Keyframe] = {}  # those that were asked for, by step
        self._lock = threading.Lock()
        self.partings: dict[int, Parting] = {}  # by step

    def keyframe(self, step: int) -> Keyframe:
        """A moment, with all that follows for it."""
        with self._lock:
            if step not in self._keyframes:
                self._keyframes[step] = self._derived(step)
            return self._keyframes[step]

    def _derived(self, step: int) -> Keyframe:
        found = self._trace.keyframe(step)
        if found.assumed and (state := self._before(step, found.assumed)) is not None:
            how = FIRST_CALL if state.since is None else f"step {state.since}"
            found = found.deriving(state.values, dict.fromkeys(state.values, how))
        return fitted(found, Inquiry(self._context)) if found.assumed else found

    # --- what is known before a step

    def _before(self, step: int, wanted: Sequence[str]) -> LogState | None:
        """What is known of inputs that are not logged at a step."""
        best: LogState | None = None
        place = self._trace.place(step)
        for begin, known, since in self._beginnings(place):
            values = self._forward(begin, place, known)
            found = LogState({path: values[path] for path in wanted if path in values}, since)
            if best is None or len(found.values) > len(best.values):
                best = found
            if len(best.values) == len(wanted):
                break
        return best

    def _beginnings(self, place: int) -> Iterator[tuple[int, Values, int | None]]:
        """Where to begin, what is known there, and the number of that step: the quickest first."""
        steps = self._trace.steps
        # numbers grow from step to step, so that there is no gap where they grow as the places do
        first = bisect.bisect_left(range(place), steps[place].time - place, key=lambda at: steps[at].time - at)
        start = (0, self._initial(), None) if self._from_start and first == 0 else None
        if start is not None and all(self._is_exact(steps[number]) for number in range(place)):
            yield start
            return
        nearer = dict.fromkeys(max(first, place - window) for window in _WINDOWS)
        yield from ((begin, {}, steps[begin].time) for begin in nearer if begin < place)
        if start is not None:
            yield start

    def _initial(self) -> Values:
        return {v.path: v.initial for v in self._state if v.initial is not None}

    def _forward(self, begin: int, end: int, known: Values) -> Values:
        """What is known before the step at place `end`, from what is known before the one at `begin`."""
        at = begin
        while at < end:
            look("deriving what is not logged")
            step = self._trace.steps[at]
            if self._open(step, known):
                at, known = at + 1, self._explored(step, known)
            else:
                at, known = self._run(at, min(end, at + _BATCH), known)
        return known

    def _open(self, step: Step, known: Values) -> bool:
        """Whether the inputs of a step have more than one possible value."""
        return any(path not in known for path in self._unsure(step))

    def _is_exact(self, step: Step) -> bool:
        """Whether all that the program perceives at a step is known."""
        return all(map(self._is_state, self._unsure(step)))

    def _unsure(self, step: Step) -> list[str]:
        """The inputs that the log does not have, or has rounded."""
        rounded = [path for path in step.rounded if path in step.inputs]
        return [*rounded, *(path for path in step.unlogged if path not in self._constant)]

    # --- all is known: the compiled program is run

    def _run(self, begin: int, end: int, known: Values) -> tuple[int, Values]:
        """Run the steps from place `begin` on; gives the place that it came to, and what is known before that step."""
        steps = [self._trace.steps[begin]]
        for number in range(begin + 1, end):
            step = self._trace.steps[number]
            if not self._is_exact(step):
                break
            steps.append(step)
        given = self._outputs(steps, known)
        while given is None and len(steps) > 1:
            steps = steps[: len(steps) // 2]
            given = self._outputs(steps, known)
        if given is None:
            return begin + 1, {}
        for number, (step, outputs) in enumerate(zip(steps, given, strict=True), start=1):
            following = steps[number] if number < len(steps) else None
            if words := self._differences(step, following, outputs):
                self.partings[step.time] = Parting(step.time, words)
                return begin + number, {}
        left = given[-1]
        return begin + len(steps), {v.path: left[f"{v.path}'"] for v in self._state if f"{v.path}'" in left}

    def _is_state(self, path: str) -> bool:
        return path in self._interface and self._interface.variable(path).role is Role.STATE

    def _inputs(self, step: Step, known: Values) -> dict[str, int]:
        derived = {path: known[path] for path in (*step.unlogged, *step.rounded) if path in known}
        return {
            **step.inputs,
            **{path: self._constant.get(path, step.inputs[path]) for path in step.unlogged},
            **derived,
        }

    def _outputs(self, steps: Sequence[Step], known: Values) -> list[Values] | None:
        """What the compiled program gives in each step; None where it does not return from all of them."""
        environment = [v.path for v in self._interface.inputs if v.role is not Role.STATE]
        first, *later = (self._inputs(step, known if number == 0 else {}) for number, step in enumerate(steps))
        environments = [{path: inputs[path] for path in environment} for inputs in later]
        if self._context.replayer is None:
            return self._evaluated(first, environments)
        done = self._context.replayer.replay(first, environments)
        if isinstance(done, Returned):
            return [*done.earlier, done.outputs]
        return self._evaluated(first, environments) if isinstance(done, NotAvailable) else None

    def _evaluated(self, inputs: Values, environments: Sequence[Values]) -> list[Values] | None:
        """The same by the engine's concrete run."""
        asking = Inquiry(self._context)
        steps = len(environments) + 1
        exploration = asking.exploration(inputs, TRUE, asking.deadline, steps=steps, environments=tuple(environments))
        run = self._context.engine.explore(exploration).run({})
        given = [*run.earlier, run.outputs]
        if not isinstance(run.path.ending, Decided) or len(given) < steps:
            return None
        return [{name: int(value) for name, value in outputs.items()} for outputs in given]

    def _differences(self, step: Step, following: Step | None, outputs: Values) -> str:
        """How a step of the log and what the compiled program gave differ, in words; empty where they agree."""
        found = [*output_differences(step, outputs, self._interface)]
        if following is not None:
            found += [
                f"at step {following.time} {words}" for words in state_differences(following, outputs, self._interface)
            ]
        return "; ".join(found)

    # --- something is not known: the step is explored

    def _explored(self, step: Step, known: Values) -> Values:
        """What is the same after a step for all values that its inputs may have had."""
        moment = self._trace.keyframe(step.time).deriving(
            self._inputs(step, known), dict.fromkeys([*known, *self._constant], "")
        )
        log = LoggedSteps(moment)
        facts, asking = PossibleFacts.of(log), Inquiry(self._context)
        assert facts is not None, "something of the step is open"
        given, where = facts.family.given, facts.precondition
        summary = self._context.engine.explore(asking.exploration(given, where, asking.deadline, log.compared))
        asking.refine(summary)
        match asking.check([facts.precondition, facts.consistent(summary)]):
            case Possible(model):
                pass
            case Impossible():
                if summary.is_explored:
                    self.partings[step.time] = Parting(
                        step.time, f"for no value of {facts.names} it gives what is logged"
                    )
                return {}
            case Open():
                return {}
        run = facts.run(summary, model)
        found = {}
        for variable in self._state:
            name = f"{variable.path}'"
            if name in run.outputs and facts.always(summary, name, run.outputs[name], asking):
                found[variable.path] = int(run.outputs[name])
        return found
