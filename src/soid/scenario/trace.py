"""The log: a Trace of Steps, one for each decision, and the Keyframe that is asked about.

All values are bits (see `soid.program.types`). A log is read by `soid.scenario.trace_reader`. Numbers
are rounded once, from their decimal text to the variable's type. An input that a step does not have is `unlogged`
there: it may follow from the rest of the log (`soid.oracle.log_run`), else it is not known. Decisions and the state
after the call (`started'`) may be missing. If a variable is logged rounded, a logged value stands for all values that
round to it (`soid.scenario.precision`). The column `step` numbers the steps in increasing order. Without that column,
or if the program has a variable `step`, the steps are numbered from 0.
"""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import PurePath
from typing import Any, assert_never, final

from soid.assumptions import Assumption, Ledger
from soid.errors import EmptyTraceError, KeyframeError, TraceError
from soid.formula.build import TRUE
from soid.formula.term import Term
from soid.formula.term_rows import Row, from_rows, to_rows
from soid.program.domain import Range
from soid.program.interface import Interface
from soid.program.scenery import SceneDeclaration
from soid.scenario.logs.row_times import shown
from soid.scenario.logs.series_part import SeriesPart
from soid.scenario.logs.written_column import WrittenColumn
from soid.scenario.origin import (
    NEVER_WRITTEN,
    NOT_KNOWN,
    NOT_LOGGED,
    AssumedInput,
    DerivedInput,
    Origin,
    Supplied,
    is_constant,
)
from soid.scenario.step_times import StepTime
from soid.shown import Shown


@final
@dataclass(frozen=True, slots=True)
class Step:
    """The inputs (environment and state) and the decisions of one call."""

    time: int  # the step's number
    inputs: Mapping[str, int]  # path -> bits, for every environment and state variable
    decisions: Mapping[str, int]  # output (a prime: state after the call) -> bits, where logged
    source: str = field(default="", compare=False)  # file:line
    unlogged: tuple[str, ...] = field(default=(), compare=False)  # inputs of which the log says nothing here
    rounded: Mapping[str, Range] = field(default_factory=dict, compare=False)  # values a rounded one may stand for
    when: StepTime | None = field(default=None, compare=False)  # it was logged, if the log has a clock
    lapse: bool = field(default=False, compare=False)  # by the log's times, calls may be missing after it
    refused: TraceError | None = field(default=None, compare=False)  # why nothing can be asked about it
    by_hand: bool = field(default=False, compare=False)  # before it the run was changed by hand

    def precedes(self, step: Step) -> bool:
        """Whether another step is the call right after this one, and comes of it."""
        return step.time == self.time + 1 and not self.lapse and not step.by_hand


@final
@dataclass(frozen=True, slots=True)
class Keyframe(Shown):
    """The step under investigation. A notebook shows its scene, or its inputs as bars."""

    step: int
    inputs: Mapping[str, int]  # path -> bits, for every environment and state variable
    decisions: Mapping[str, int]  # output (a prime: state after the call) -> bits, where logged
    interface: Interface
    source: str = field(default="", compare=False)  # file:line
    unlogged: tuple[str, ...] = field(default=(), compare=False)  # inputs of which the log says nothing here
    trace: Trace | None = field(default=None, compare=False, repr=False)  # the log that contains it
    rounded: Mapping[str, Range] = field(default_factory=dict, compare=False)  # values a rounded one may stand for
    derived: Mapping[str, str] = field(default_factory=dict, compare=False)  # unlogged inputs that follow: since when
    fitting: Term = field(default=TRUE, compare=False)  # which values of what is not known give what is logged
    unfit: str = field(default="", compare=False)  # that none does, in words
    unchecked: str = field(default="", compare=False)  # why it is not known whether one does
    underived: str = field(default="", compare=False)  # why state that is not known does not follow, in sentences
    when: StepTime | None = field(default=None, compare=False)  # it was logged, if the log has a clock
    of_pair: bool = field(default=False, compare=False)  # it is two lives of the program, both of them the fact
    #: finds the outputs that are not logged and follow; None: they are not looked for
    follow: Callable[[], Mapping[str, int]] | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        return f"Keyframe({self.called} of {PurePath(self.source).name or 'the log'})"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled with the outputs that follow, which are looked for now."""
        values = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        followed, (fitting, _) = values.pop("follow") and self.followed, to_rows([values.pop("fitting")])
        return _unpickled_keyframe, (values, fitting, followed)

    @property
    def called(self) -> str:
        """The moment in words: its step, and its time if the log has one."""
        return f"step {self.step}" if self.when is None else f"step {self.step}, {self.when.short}"

    @property
    def assumed(self) -> tuple[str, ...]:
        """The inputs that are not known; each has one of its possible values in `inputs`."""
        return tuple(path for path in self.unlogged if path not in self.derived)

    @property
    def is_exact(self) -> bool:
        """Whether all inputs are known to the bit: what the program gives for them is then what it did."""
        return not self.assumed and not any(path in self.rounded for path in self.inputs)

    @property
    def open_outputs(self) -> tuple[str, ...]:
        """The decisions, and the state after the call, that are not logged."""
        return tuple(output.name for output in self.interface.outputs if output.name not in self.decisions)

    @property
    def followed(self) -> Mapping[str, int] | None:
        """Those of them that follow, for all values that the inputs may have had; None: that was not looked for.

        The first look runs the program.
        """
        return self.follow() if self.follow is not None else None

    def with_outputs(self) -> Keyframe:
        """The same moment, with the outputs that follow found by now."""
        return self.giving(self.followed)

    def giving(self, followed: Mapping[str, int] | None) -> Keyframe:
        """The same moment with outputs that follow."""
        return dataclasses.replace(self, follow=None if followed is None else lambda: followed)

    def output(self, name: str) -> int | None:
        """Bits of a decision or of the state after the call, as logged or as they follow."""
        found = self.decisions.get(name)
        return (self.followed or {}).get(name) if found is None else found

    def output_origin(self, name: str) -> Origin | None:
        """Where the value of an output comes from; None: it has none that is known."""
        if name in self.decisions:
            return Origin.LOGGED
        return Origin.DERIVED if name in (self.followed or {}) else None

    def told_output(self, name: str, text: Callable[[int], str]) -> str:
        """The text of an output's value with its origin, unless it was logged; what is not known has no value."""
        bits = self.output(name)
        if bits is None:
            return NOT_LOGGED if self.follow is None else NOT_KNOWN
        return text(bits) if name in self.decisions else f"{text(bits)} ({Origin.DERIVED.value})"

    def origin(self, path: str) -> Origin:
        """Where the value of an input comes from."""
        if path not in self.unlogged:
            return Origin.LOGGED
        return Origin.DERIVED if path in self.derived else Origin.ASSUMED

    def deriving(self, values: Mapping[str, int], derived: Mapping[str, str]) -> Keyframe:
        """The same moment with values that follow for inputs that are not logged; `derived` says from what."""
        known = {path: words for path, words in derived.items() if path in self.assumed}
        inputs = {**self.inputs, **{path: values[path] for path in known}}
        return dataclasses.replace(self, inputs=inputs, derived={**self.derived, **known})

    @property
    def supplied(self) -> Supplied:
        """What is taken for the inputs that are not logged."""
        variable, bits = self.interface.variable, self.inputs
        derived = (DerivedInput(variable(path), bits[path], since) for path, since in self.derived.items())
        assumed = (AssumedInput(variable(path), bits[path]) for path in self.assumed)
        return Supplied(tuple(derived), tuple(assumed), self.underived)

    def supplied_with(self, values: Supplied) -> Keyframe:
        """The same moment with what a record has for the inputs that are not logged."""
        bits = {each.variable.path: each.bits for each in values.derived}
        bits |= {each.variable.path: each.bits for each in values.assumed}
        since = {each.variable.path: each.since for each in values.derived}
        inputs, why = {**self.inputs, **bits}, values.underived
        return dataclasses.replace(self, inputs=inputs, derived=since, underived=why, follow=None)

    def following(self, count: int) -> tuple[Step, ...]:
        """The next `count` steps of the log. A missing step is a KeyframeError."""
        found = self.followed_by(count)
        if len(found) == count:
            return found
        missing = self.step + len(found) + 1
        name = (self.trace.source if self.trace is not None else "") or "the log"
        after = self.trace.step(missing) if self.trace is not None else None
        if self.trace is not None and after is not None:
            before = self.trace.steps[self.trace.place(missing) - 1]
            how = "does not come of" if after.by_hand else "may not be the call right after"
            problem = f"step {missing} of {name} {how} step {before.time}"
            raise KeyframeError(problem, f"{lapse_words(before, after)} Or ask about fewer steps.")
        raise KeyframeError(
            f"step {missing} is not in {name}, and {count + 1} steps from step {self.step} on need it",
            f"Ask about fewer steps, or about an earlier moment: these are {count + 1} logged steps in a row.",
        )

    def followed_by(self, count: int) -> tuple[Step, ...]:
        """The next `count` steps of the log; fewer if it ends before, or if a call is missing or may be."""
        found: list[Step] = []
        last = self.trace.step(self.step) if self.trace is not None else None
        while self.trace is not None and last is not None and len(found) < count:
            step = self.trace.step(last.time + 1)
            if step is None or not last.precedes(step):
                break
            if step.refused is not None:
                raise step.refused
            found.append(step)
            last = step
        return tuple(found)

    def describe(self) -> str:
        """The step as text: a line for each value, under the program's own name for it."""
        place = f" ({self.source})" if self.source else ""
        lines = [f"  {v.path} = {self.told(v.path, v.amount(self.inputs[v.path]))}" for v in self.interface.inputs]
        outputs = [each for each in self.interface.outputs if self.follow is not None or each.name in self.decisions]
        lines += [f"  {each.name} = {self.told_output(each.name, each.variable.amount)}" for each in outputs]
        return "\n".join([f"{self.called}{place}", *lines])

    def told(self, path: str, value: str) -> str:
        """The text of an input's value with its origin, unless it was logged; what is not known has no value."""
        match self.origin(path):
            case Origin.LOGGED:
                return value
            case Origin.DERIVED:
                return f"{value} ({Origin.DERIVED.value})"
            case Origin.ASSUMED:
                return NOT_KNOWN
            case _ as unreachable:
                assert_never(unreachable)


@final
@dataclass(frozen=True, slots=True)
class Trace:
    """The whole log; it has at least one step."""

    interface: Interface
    steps: Sequence[Step]  # by increasing time; those of a large log are read when they are asked for
    source: str = field(default="", compare=False)  # the file
    oddities: Callable[[], tuple[str, ...]] = field(default=tuple, compare=False, repr=False)  # found so far
    relies_on: tuple[Assumption, ...] = field(default=(), compare=False)  # what answers about it take for granted
    calls: Assumption = field(default=Ledger.EVERY_CALL.of(""), compare=False)  # and those that go from step to step
    #: places of some steps of a large log, and their seconds since its first row: to find a time without reading much
    begins: Sequence[tuple[int, Fraction]] = field(default=(), compare=False)
    #: of a large log: reads some variables of a piece, by its number, quicker than its steps; and the pieces' sizes
    columns: tuple[Callable[[int, Sequence[str]], SeriesPart], Sequence[int]] | None = field(
        default=None, compare=False, repr=False
    )
    #: what its source writes for some variables; None: there is no source, and the values are what is written
    written: Callable[[Sequence[str]], Mapping[str, WrittenColumn]] | None = field(
        default=None, compare=False, repr=False
    )
    scene: SceneDeclaration | None = field(default=None, compare=False, repr=False)  # how a moment of it is drawn

    def __post_init__(self) -> None:
        if not self.steps:
            raise EmptyTraceError(f"{self.source or 'the log'}: there is no step in it", "Give a log with one or more.")

    def __repr__(self) -> str:
        first, last = self.steps[0].time, self.steps[-1].time
        return f"Trace({PurePath(self.source).name or 'a log'}: {len(self)} steps, {first} to {last})"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled with all its steps, those of a large log too, and without what reads its file."""
        about = self.source, self.warnings, self.relies_on, self.calls, tuple(self.begins), self.scene
        return _unpickled_trace, (self.interface, tuple(self.steps), *about)

    def part(self, first: int, last: int) -> Trace:
        """The same log with the steps of these numbers alone."""
        steps = self.steps[self.place(first) : self.place(last + 1)]
        return Trace(self.interface, steps, self.source, relies_on=self.relies_on, calls=self.calls, scene=self.scene)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is strange about it, in sentences; of a large log, what is in the parts that were read so far."""
        return self.oddities()

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def place(self, time: int) -> int:
        """Where among the steps the one of this number is; without one, where it would be."""
        guess = time - self.steps[0].time  # without gaps: then no other piece of a large log is read
        if 0 <= guess < len(self.steps) and self.steps[guess].time == time:
            return guess
        return bisect.bisect_left(self.steps, time, key=lambda known: known.time)

    def places_at(self, since: Fraction) -> tuple[int, int]:
        """Where the step in force is, so many seconds (0 or more) after the first row: the last logged then or before.

        Two places: of the first and of the last step that have its time. The log must have a clock.
        """
        last = self._bisected(bisect.bisect_right, since) - 1
        return self._bisected(bisect.bisect_left, _since(self.steps[last])), last

    def _bisected(self, find: Callable[..., int], since: Fraction) -> int:
        """What `bisect` finds among the times of the steps; of a large log, one piece is read for it."""
        at = find(self.begins, since, key=lambda begin: begin[1])
        low = self.begins[at - 1][0] if at > 0 else 0
        high = self.begins[at][0] if at < len(self.begins) else len(self.steps)
        return find(self.steps, since, low, high, key=_since)

    @property
    def last(self) -> int:
        """The number of the last step that can be asked about."""
        return self._askable(range(len(self.steps) - 1, -1, -1))

    @property
    def first(self) -> int:
        """The number of the first step that can be asked about."""
        return self._askable(range(len(self.steps)))

    def _askable(self, places: range) -> int:
        found = next((at for at in places if self.steps[at].refused is None), places[0])
        return self.steps[found].time

    def step(self, time: int) -> Step | None:
        """The step of this number, if there is one."""
        at = self.place(time)
        found = self.steps[at] if at < len(self.steps) else None
        return found if found is not None and found.time == time else None

    def keyframe(self, step: int) -> Keyframe:
        """The step of this number. If there is none, a KeyframeError names the nearest one.

        If its inputs are none that are modelled, the TraceError is about these: no answer would be about what happened.
        """
        found = self.step(step)
        if found is None:
            at = self.place(step)
            first, last = self.steps[0].time, self.steps[-1].time
            nearest = min(self.steps[max(at - 1, 0) : at + 1], key=lambda known: abs(known.time - step))
            name = self.source or "the log"
            problem = f"step {step} is not in {name}, whose steps go from {first} to {last}"
            raise KeyframeError(problem, f"The nearest is step {nearest.time}.")
        if found.refused is not None:
            raise found.refused
        values = found.inputs, found.decisions, self.interface
        constant = {path: NEVER_WRITTEN for path in found.unlogged if is_constant(self.interface.variable(path))}
        about = found.source, found.unlogged
        return Keyframe(found.time, *values, *about, self, found.rounded, constant, when=found.when)


def _unpickled_keyframe(values: dict[str, Any], fitting: list[Row], followed: Mapping[str, int] | None) -> Keyframe:
    return Keyframe(**values, fitting=from_rows(fitting)[-1]).giving(followed)


def _unpickled_trace(
    interface: Interface,
    steps: Sequence[Step],
    source: str,
    warnings: tuple[str, ...],
    relies_on: tuple[Assumption, ...],
    calls: Assumption,
    begins: Sequence[tuple[int, Fraction]],
    scene: SceneDeclaration | None,
) -> Trace:
    return Trace(interface, steps, source, lambda: warnings, relies_on, calls, begins, scene=scene)


def lapse_words(before: Step, after: Step) -> str:
    """Why a step may not be the call right after another, and what to do about it, in sentences."""
    if after.time != before.time + 1:
        return f"The log has no step between step {before.time} and step {after.time}."
    if after.by_hand:
        return f"Before step {after.time} the run was changed by hand: it does not come of step {before.time}."
    apart = _since(after) - _since(before)
    how = f"{shown(apart)} apart" if apart else "at the same time"
    missing = f"Calls may be missing between step {before.time} and step {after.time}, which were logged {how}."
    return f"{missing} If none is, say so: [trace] every_call = true."


def _since(step: Step) -> Fraction:
    assert step.when is not None  # a clock gives every row a time
    return step.when.since
