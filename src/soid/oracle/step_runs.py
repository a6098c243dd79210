"""Runs single steps of a log, and many in a row: natively where all is known, explored where something is not.

A native run takes thousands of steps at once, and what the program leaves is fed back. A step of which something is not
known, or logged rounded, is explored for all values that it may have had; what is the same for all of them is known.
Explored steps are remembered, because logs of idle machines repeat themselves; after the first of them, most others are
seen through by intervals alone (`soid.oracle.whole_paths`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Budget, Deadline
from soid.engine.replay import NotAvailable, Returned, Unreturned
from soid.engine.summary import ConcreteRun, Decided, PathSummary, Undecided, Unexplored
from soid.formula.build import FALSE, TRUE
from soid.formula.checker import Impossible, Open, Possible
from soid.oracle.inquiry import Context, Inquiry
from soid.oracle.log_check import LoggedSteps, output_differences
from soid.oracle.possible_facts import PossibleFacts
from soid.oracle.whole_paths import WholePaths
from soid.program import domain as domains
from soid.program.interface import Interface, Role
from soid.program.types import show
from soid.scenario.origin import NEVER_WRITTEN, is_constant
from soid.scenario.trace import Keyframe, Step

#: steps that the engine runs at once, where the compiled program cannot be run
_INTERPRETED: Final = 64
#: seconds for exploring the program over all inputs
_WHOLE: Final = 5.0
#: explored steps that are remembered
_REMEMBERED: Final = 20_000
#: steps that are explored one by one before the program is explored over all inputs for the others
ONE_BY_ONE: Final = 16

Values = Mapping[str, int]  # bits by path, or by output


@final
class ExploredStep(Struct, frozen=True):
    """What is found out about a step for all values that its inputs may have had."""

    agrees: bool | None  # whether some of them give what is logged; None: that is not settled
    words: str = ""  # how they differ, or why it is not settled
    known: Values = {}  # the state after the step that is the same for all that give what is logged
    decided: Values = {}  # decisions that are not logged, and are the same for all of these
    inputs: Values = {}  # one of them
    left: Values = {}  # and all that the program gives there


@final
class StepRuns:
    """Runs steps of the logs of one program."""

    def __init__(self, interface: Interface, context: Context) -> None:
        self.interface = interface
        self.context = context
        self.state = [v for v in interface.inputs if v.role is Role.STATE]
        self.environment = [v.path for v in interface.inputs if v.role is not Role.STATE]
        self.constant = {v.path: v.initial for v in interface.inputs if is_constant(v) and v.initial is not None}
        self._state_paths = frozenset(v.path for v in self.state)
        self.decisions = [v.path for v in interface.decisions]
        self._missing: dict[tuple[str, ...], tuple[str, ...]] = {}  # of what is not logged: what is not constant
        self._explored: dict[object, ExploredStep] = {}
        self._explorations = 0

    # --- what is known of a step

    @property
    def initial(self) -> Values:
        """The state before the program's first call."""
        return {v.path: v.initial for v in self.state if v.initial is not None}

    def other_start(self, step: Step) -> str:
        """How the logged state of a step differs from the one that the program starts with, or nothing."""
        found = []
        for variable in self.state:
            path, kind, starts = variable.path, variable.type, variable.initial
            if path in step.unlogged or starts is None or starts == step.inputs[path]:
                continue
            if path not in step.rounded or not domains.contains(kind, step.rounded[path], starts):
                found.append(f"the log says {path} = {show(kind, step.inputs[path])}, the program starts with")
                found[-1] += f" {show(kind, starts)}"
        return f"before the first call {'; '.join(found)}" if found else ""

    def unsure(self, step: Step) -> Sequence[str]:
        """The inputs that the log does not have, or has rounded."""
        if step.unlogged not in self._missing:
            self._missing[step.unlogged] = tuple(path for path in step.unlogged if path not in self.constant)
        missing = self._missing[step.unlogged]
        return missing if not step.rounded else [*(path for path in step.rounded if path in step.inputs), *missing]

    def is_open(self, step: Step, known: Values) -> bool:
        """Whether the inputs of a step have more than one possible value."""
        return any(path not in known for path in self.unsure(step))

    def is_exact(self, step: Step) -> bool:
        """Whether all that the program perceives at a step is known."""
        if not step.rounded and not step.unlogged:
            return True
        return self._state_paths.issuperset(self.unsure(step))

    def inputs(self, step: Step, known: Values) -> Values:
        """The inputs of a step, with what is known of those that are not logged, or rounded."""
        if not step.unlogged and not step.rounded:
            return step.inputs
        derived = {path: known[path] for path in (*step.unlogged, *step.rounded) if path in known}
        constant = {path: self.constant[path] for path in step.unlogged if path in self.constant}
        return {**step.inputs, **constant, **derived}

    def left(self, outputs: Values) -> Values:
        """The state among the outputs of a step."""
        return {v.path: int(outputs[f"{v.path}'"]) for v in self.state if f"{v.path}'" in outputs}

    def joined(self, step: Step, following: Step | None) -> Step:
        """A step that also has the state after the call as logged: what the step right after it has before its own."""
        if following is None or not step.precedes(following):
            return step
        paths = self.state if not following.unlogged else [v for v in self.state if v.path not in following.unlogged]
        left = {f"{v.path}'": v.path for v in paths if f"{v.path}'" not in step.decisions}
        if not left:
            return step
        decisions = {**step.decisions, **{name: following.inputs[path] for name, path in left.items()}}
        ranges = {name: following.rounded[path] for name, path in left.items() if path in following.rounded}
        return dataclasses.replace(step, decisions=decisions, rounded={**step.rounded, **ranges})

    # --- the compiled program

    def outputs(self, steps: Sequence[Step], known: Values) -> list[Values] | None:
        """What the program gives in each of some steps in a row, its state fed back; None: it does not end them all.

        Of a program that cannot be run here, a few steps are run by the engine.
        """
        done = self.compiled(steps, known)
        if isinstance(done, list):
            return done
        if not isinstance(done, NotAvailable) or len(steps) > _INTERPRETED:  # fewer steps may have room
            return None
        return self._interpreted(*self._perceived(steps, known))

    def compiled(self, steps: Sequence[Step], known: Values) -> list[Values] | Unreturned:
        """The same of the compiled program alone, or how its run ends."""
        if self.context.replayer is None:
            return NotAvailable("there is nothing that runs the program")
        done = self.context.replayer.replay(*self._perceived(steps, known))
        return [*done.earlier, done.outputs] if isinstance(done, Returned) else done

    def _perceived(self, steps: Sequence[Step], known: Values) -> tuple[Values, list[Values]]:
        """The inputs of the first of some steps in a row, and what the others perceive."""
        return self.inputs(steps[0], known), [self._environment(step) for step in steps[1:]]

    def _environment(self, step: Step) -> Values:
        """What the program perceives in a step."""
        logged, unlogged = step.inputs, step.unlogged
        if not unlogged or self.constant.keys().isdisjoint(unlogged):
            return {path: logged[path] for path in self.environment}
        inputs = self.inputs(step, {})
        return {path: inputs[path] for path in self.environment}

    def _interpreted(self, inputs: Values, environments: Sequence[Values]) -> list[Values] | None:
        """The same by the engine's concrete run."""
        asking = Inquiry(self.context)
        steps = len(environments) + 1
        exploration = asking.exploration(inputs, TRUE, asking.deadline, steps=steps, environments=tuple(environments))
        run = self.context.engine.explore(exploration).run({})
        given = [*run.earlier, run.outputs]
        if not isinstance(run.path.ending, Decided) or len(given) < steps:
            return None
        return [{name: int(value) for name, value in outputs.items()} for outputs in given]

    def differing(self, step: Step, outputs: Values) -> list[str]:
        """The logged outputs that a run does not give."""
        logged = step.decisions
        if not step.rounded and all(name in outputs and outputs[name] == bits for name, bits in logged.items()):
            return []
        return [name for name in logged if self._differs(step, name, outputs)]

    def _differs(self, step: Step, name: str, outputs: Values) -> bool:
        if name in outputs and name in step.rounded:
            return not domains.contains(self.interface.output_type(name), step.rounded[name], outputs[name])
        if name in outputs and outputs[name] == step.decisions[name]:
            return False
        return any(output_differences(step, outputs, self.interface, [each for each in step.decisions if each != name]))

    def words(self, step: Step, outputs: Values) -> str:
        """How a step of the log and what the program gave differ."""
        return "; ".join(output_differences(step, outputs, self.interface))

    @cached_property
    def _whole(self) -> PathSummary:
        """The program's paths over all inputs."""
        asking = self.asking(Budget(_WHOLE).started())
        observed = frozenset((*self.decisions, *self._state_paths))
        return self.context.engine.explore(asking.exploration({}, TRUE, asking.direct, observed))

    @cached_property
    def _whole_paths(self) -> WholePaths | None:
        return WholePaths.of(self._whole, self.interface)

    @cached_property
    def written(self) -> frozenset[str]:
        """The outputs that the program sets in every call; what a native run gives for others may be from before."""
        summary = self._whole
        if any(isinstance(path.ending, Undecided | Unexplored) for path in summary.paths):
            return frozenset()  # there, the compiled program may go on and set less
        paths = [path for path in summary.paths if isinstance(path.ending, Decided)]
        state = {f"{v.path}'" for v in self.state}
        return frozenset(
            name
            for name in (*self.decisions, *state)
            if all(name in path.outputs and path.outputs[name].kept is FALSE for path in paths)
        )

    # --- something is not known

    def moment(self, step: Step, known: Values) -> Keyframe:
        """A step as a moment, with what is known of it."""
        constant = {path: NEVER_WRITTEN for path in step.unlogged if path in self.constant}
        derived = constant | {path: "" for path in step.unlogged if path in known}
        rounded = {name: each for name, each in step.rounded.items() if name not in known or name in step.decisions}
        values = self.inputs(step, known), step.decisions, self.interface
        return Keyframe(step.time, *values, step.source, step.unlogged, None, rounded, derived)

    def explored(self, step: Step, known: Values, until: Deadline) -> ExploredStep:
        """What holds of a step for all values that its inputs may have had."""
        moment = self.moment(step, known)
        key = (*moment.inputs.items(), moment.assumed, *moment.rounded.items(), *moment.decisions.items())
        found = self._explored.get(key)
        if found is None:
            found = self._seen_through(moment, until) or self._explore(moment, until)
            if found.agrees is not None:
                if len(self._explored) >= _REMEMBERED:
                    self._explored.clear()
                self._explored[key] = found
        return found

    def _seen_through(self, moment: Keyframe, until: Deadline) -> ExploredStep | None:
        """The same by intervals alone; None: it takes an exploration, or there were too few of them."""
        if self._explorations < ONE_BY_ONE or moment.is_exact or until.is_over or (paths := self._whole_paths) is None:
            return None
        over, at = paths.over(moment), paths.at(moment)
        if over is None or at is None or not self._is_as_logged(moment, over):
            return None
        left = {name: low for name, (low, high) in at.items() if low == high}
        same = {name: left[name] for name in self._wanted(moment) if name in left}
        if any(over.get(name) != (value, value) for name, value in same.items()):
            return None
        return self._found(moment, left, same, {})

    def _is_as_logged(self, moment: Keyframe, over: Mapping[str, tuple[int, int]]) -> bool:
        """Whether every state that a moment may have been gives what is logged."""
        for name, bits in moment.decisions.items():
            logged, kind = moment.rounded.get(name, domains.Values((bits,))), self.interface.output_type(name)
            if name not in over or not all(domains.contains(kind, logged, end) for end in over[name]):
                return False
        return True

    def _explore(self, moment: Keyframe, until: Deadline) -> ExploredStep:
        if until.is_over:
            return ExploredStep(None, "there was no time left to explore it")
        self._explorations += 1
        log, asking = LoggedSteps(moment), self.asking(until)
        facts = PossibleFacts.of(log)
        observed = log.compared | frozenset(self.decisions)
        if facts is None:
            exploration = asking.exploration(moment.inputs, TRUE, asking.deadline, observed)
            return self._of_run(log, self.context.engine.explore(exploration).run({}))
        given, where = facts.family.given, facts.precondition
        summary = self.context.engine.explore(asking.exploration(given, where, asking.deadline, observed))
        asking.refine(summary)
        match asking.check([where, facts.consistent(summary)]):
            case Impossible():
                limits = f" ({'; '.join(facts.family.limited)})" if facts.family.limited else ""
                words = f"for no value of {facts.names}{limits} it gives what is logged"
                return ExploredStep(False, words) if summary.is_explored else ExploredStep(None, "not all was explored")
            case Open(reason):
                return ExploredStep(None, reason)
            case Possible(model):
                run = facts.run(summary, model)
        if isinstance(run.path.ending, Unexplored):
            return ExploredStep(None, str(run.path.ending))
        same = {
            name: int(run.outputs[name])
            for name in self._wanted(moment)
            if name in run.outputs and facts.always(summary, name, int(run.outputs[name]), asking)
        }
        values = {v.path: int(model.get(v.symbol, facts.family.fact[v.path])) for v in facts.family.varying}
        return self._found(moment, _bits(run), same, values)

    def together(self, steps: Sequence[Step], moment: Keyframe, until: Deadline) -> ExploredStep:
        """One run through steps in a row that gives all that is logged, from a moment of the first, if there is one.

        `inputs` of the result are before the first step, and `left` is what the program gives in the last.
        """
        log, asking = LoggedSteps(moment, tuple(steps[1:])), self.asking(until)
        facts = PossibleFacts.of(log)
        if facts is None or until.is_over:
            return ExploredStep(None)
        given, where, interface = facts.family.given, facts.precondition, facts.family.interface
        same = {path: interface.variable(path) for path in moment.assumed if path in self.constant}  # in all steps
        environments = tuple({**perceived, **same} for perceived in facts.course.environments)
        exploration = asking.exploration(given, where, asking.deadline, log.compared, len(steps), environments)
        summary = self.context.engine.explore(exploration)
        asking.refine(summary)
        answer = asking.check([where, facts.consistent(summary)])
        if not isinstance(answer, Possible):
            return ExploredStep(False if isinstance(answer, Impossible) and summary.is_explored else None)
        run = facts.run(summary, answer.model)
        if not isinstance(run.path.ending, Decided) or len(run.earlier) + 1 < len(steps):
            return ExploredStep(None)
        values = {v.path: int(answer.model.get(v.symbol, facts.family.fact[v.path])) for v in facts.family.varying}
        left = {name: int(value) for name, value in run.outputs.items()}
        return ExploredStep(True, inputs={**moment.inputs, **values}, left=left)

    def asking(self, until: Deadline) -> Inquiry:
        """An inquiry that ends by a time."""
        settings, left = self.context.settings, until.seconds_left
        seconds = [each for each in (settings.seconds, left) if each is not None]
        return Inquiry(replace(self.context, settings=replace(settings, seconds=min(seconds, default=None))))

    def _wanted(self, moment: Keyframe) -> Iterator[str]:
        yield from (f"{v.path}'" for v in self.state)
        yield from (name for name in self.decisions if name not in moment.decisions)

    def _of_run(self, log: LoggedSteps, run: ConcreteRun) -> ExploredStep:
        """The same for a step of which everything is known."""
        if isinstance(run.path.ending, Unexplored):
            return ExploredStep(None, str(run.path.ending))
        if words := log.mismatch(run):
            return ExploredStep(False, words)
        wanted = [name for name in self._wanted(log.keyframe) if name in run.outputs and not run.keeps(0, name)]
        left = _bits(run)
        return self._found(log.keyframe, left, {name: left[name] for name in wanted}, {})

    def _found(self, moment: Keyframe, left: Values, same: Values, values: Values) -> ExploredStep:
        return ExploredStep(
            True,
            known={name.removesuffix("'"): bits for name, bits in same.items() if name.endswith("'")},
            decided={name: bits for name, bits in same.items() if not name.endswith("'")},
            inputs={**moment.inputs, **values},
            left=left,
        )


def _bits(run: ConcreteRun) -> Values:
    return {name: int(value) for name, value in run.outputs.items()}
