"""How well a world reproduces a log: what it makes of logged steps and decisions, beside what was logged next.

    one step on    from each logged step, with what was decided there: from step 3 it gives gap 24.1, step 4 has 24.0
    the course     from the first step on, its own state fed back: how far the two part over the steps

A decision that is not logged is what the programs give for the logged inputs, if all of these are logged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias, final

from msgspec import Struct

from soid.allowance import allowance
from soid.budget import Cancellation
from soid.documents import Document, JsonValue
from soid.engine.protocol import Engine, Exploration
from soid.engine.summary import Decided
from soid.formula import softfloat as sf
from soid.formula.build import TRUE
from soid.formula.checker import Possible
from soid.program.interface import Variable
from soid.program.types import FloatType, IntType, json_value, number, show
from soid.scenario.trace import Step, Trace

if TYPE_CHECKING:
    from soid.engine.world.world_engine import WorldEngine

Values: TypeAlias = Mapping[str, int]  # bits, by path

#: steps that are looked at, from the log's first on
MOST_STEPS: Final = 5_000


class DeviationDocument(Struct, frozen=True):
    """Where a world is farthest from the log, as JSON."""

    variable: str
    distance: float | None  # null: one of the two is no number
    step: int
    logged: JsonValue
    computed: JsonValue
    unit: str
    tolerance: float | None


@final
class Deviation(Struct, frozen=True):
    """Where a world is farthest from the log, for one variable."""

    variable: Variable
    distance: Fraction | None  # of labels and bools 1 if they differ; None: one of the two is no finite number
    step: int  # of the log, whose value is compared
    logged: int  # bits
    computed: int
    tolerance: Fraction | None = None  # how far it may be off one step on, as stated

    @property
    def is_beyond(self) -> bool:
        return self.tolerance is not None and (self.distance is None or self.distance > self.tolerance)

    @property
    def amount(self) -> str:
        """How far it is off, in words."""
        if not isinstance(self.variable.type, IntType | FloatType):
            return "another value" if self.distance else "nothing"
        far = "infinitely far" if self.distance is None else f"{float(self.distance):.6g}"
        return f"{far} {self.variable.unit}".rstrip()

    @property
    def values(self) -> tuple[str, str]:
        """What was logged, and what the world gives."""
        return show(self.variable.type, self.logged), show(self.variable.type, self.computed)

    @property
    def document(self) -> DeviationDocument:
        kind = self.variable.type
        return DeviationDocument(
            self.variable.path,
            None if self.distance is None else float(self.distance),
            self.step,
            json_value(kind, self.logged),
            json_value(kind, self.computed),
            self.variable.unit,
            None if self.tolerance is None else float(self.tolerance),
        )


@final
class CourseStep(Struct, frozen=True):
    """One step of the course: what was logged there, and what the world has come to."""

    step: int
    logged: Values
    computed: Values


@final
class WorldCheckDocument(Document, frozen=True):
    """How well a world reproduces a log, as JSON."""

    within: bool | None
    compared: int
    skipped: int
    one_step: tuple[DeviationDocument, ...]
    first: int | None
    last: int | None
    course: tuple[DeviationDocument, ...]
    failures: tuple[str, ...]


@final
class WorldCheck(Struct, frozen=True):
    """How well a world reproduces a log."""

    compared: int  # pairs of steps in a row
    skipped: int  # pairs of which not all was logged that it takes
    one_step: tuple[Deviation, ...]  # by variable, one step on
    course: tuple[Deviation, ...]  # by variable, from the first step on
    steps: tuple[CourseStep, ...]  # of the course
    failures: tuple[str, ...]  # logged steps in which the world fails, in words
    tolerances: Mapping[str, Fraction]  # as stated, by variable
    is_part: bool = False  # the log goes on behind the steps that were looked at

    @property
    def off(self) -> tuple[str, ...]:
        """Why the world does not reproduce the log as stated, in words; empty: it does, or nothing is stated."""
        if not self.tolerances:
            return ()
        told = [
            f"{each.variable.path} is off by {each.amount} at step {each.step}, beyond {float(each.tolerance):.6g}"
            for each in self.beyond
            if each.tolerance is not None
        ]
        compared = {each.variable.path for each in self.one_step}
        told += [f"{path} could not be compared" for path in sorted(self.tolerances) if path not in compared]
        return (*told, *self.failures)

    @property
    def beyond(self) -> tuple[Deviation, ...]:
        """The variables that are off by more than stated, one step on."""
        return tuple(each for each in self.one_step if each.is_beyond)

    @property
    def within(self) -> bool | None:
        """Whether the world is within what is stated; None: nothing is stated."""
        return not self.off if self.tolerances else None

    @property
    def first(self) -> int | None:
        return self.steps[0].step if self.steps else None

    @property
    def last(self) -> int | None:
        return self.steps[-1].step if self.steps else None

    @property
    def document(self) -> WorldCheckDocument:
        return WorldCheckDocument.of(self)


def check_world(engine: WorldEngine, trace: Trace) -> WorldCheck:
    """What the world makes of a log's steps, beside the log."""
    return _Checking(engine, trace).run()


@final
class _Checking:
    """One check."""

    def __init__(self, engine: WorldEngine, trace: Trace) -> None:
        self._engine = engine
        self._named = engine.world.named
        self._is_part = len(trace) > MOST_STEPS
        self._steps = [step for step in trace.steps[:MOST_STEPS] if step.refused is None]
        self._produced = [v for v in engine.interface.inputs if v.path in engine.interface.produced]
        self._failures: list[str] = []

    def run(self) -> WorldCheck:
        pairs = [(one, other) for one, other in pairwise(self._steps) if one.precedes(other)]
        ones = [(other, self._left(one, one.inputs)) for one, other in pairs]
        compared = [(other, left) for other, left in ones if left is not None]
        failures, course = tuple(self._failures), tuple(self._course())
        return WorldCheck(
            len(compared),
            len(pairs) - len(compared) - len(failures),
            self._farthest([(step.time, _logged(step), left) for step, left in compared], self._engine.tolerances),
            self._farthest([(each.step, each.logged, each.computed) for each in course[1:]], {}),
            course,
            failures,
            self._engine.tolerances,
            self._is_part,
        )

    def _course(self) -> Iterator[CourseStep]:
        """From the first step on, as long as the log says what was decided; nothing if the first is not known."""
        state = self._steps[0].inputs
        if any(v.path in self._steps[0].unlogged for v in self._produced):
            return
        yield CourseStep(self._steps[0].time, _logged(self._steps[0]), self._of_world(state))
        for one, other in pairwise(self._steps):
            left = self._left(one, {**one.inputs, **self._of_world(state)}) if one.precedes(other) else None
            if left is None:
                return
            state = left
            yield CourseStep(other.time, _logged(other), left)

    def _of_world(self, values: Values) -> dict[str, int]:
        return {v.path: values[v.path] for v in self._produced}

    def _left(self, step: Step, inputs: Values) -> dict[str, int] | None:
        """What the world leaves after a logged step; None if not all is logged that it takes, or if it fails."""
        world, named = self._engine.world, self._named
        decided = self._decided(step)
        taken = [named.called(v.path) for v in (*world.state, *world.given)]
        if any(path in step.unlogged for path in taken) or not decided.keys() >= {*world.acts.values()}:
            return None
        given = {v.path: inputs[named.called(v.path)] for v in (*world.state, *world.given)}
        given |= {own: decided[decision] for own, decision in world.acts.items()}
        ending, outputs = _run(self._engine.world_engine, given)
        if not isinstance(ending, Decided):
            failure = f"step {step.time}: the world {ending}"
            self._failures += [failure] if failure not in self._failures else []
            return None
        named_left = {world.left(name).removesuffix("'"): bits for name, bits in outputs.items()}
        return self._of_world(named_left) if all(v.path in named_left for v in self._produced) else None

    def _decided(self, step: Step) -> Values:
        """What was decided: as logged, else as the programs give it for what is logged."""
        wanted = set(self._engine.world.acts.values())
        inputs = [v.path for v in self._engine.programs.inputs]
        if wanted <= step.decisions.keys() or any(path in step.unlogged for path in inputs):
            return step.decisions
        given = {path: step.inputs[path] for path in inputs}
        ending, outputs = _run(self._engine.program_engine, given, frozenset(wanted))
        return {**outputs, **step.decisions} if isinstance(ending, Decided) else step.decisions

    def _farthest(
        self, compared: Sequence[tuple[int, Values, Values]], tolerances: Mapping[str, Fraction]
    ) -> tuple[Deviation, ...]:
        found = []
        for variable in self._produced:
            path, tolerance = variable.path, tolerances.get(variable.path)
            each = [
                Deviation(variable, _distance(variable, logged[path], left[path]), *ends, tolerance)
                for step, logged, left in compared
                if path in logged
                for ends in [(step, logged[path], left[path])]
            ]
            found += [max(each, key=_by_distance)] if each else []
        return tuple(found)


def _logged(step: Step) -> dict[str, int]:
    return {path: bits for path, bits in step.inputs.items() if path not in step.unlogged}


def _run(engine: Engine, given: Values, observed: frozenset[str] = frozenset()) -> tuple[object, dict[str, int]]:
    exploration = Exploration(
        given, TRUE, lambda _: Possible({}), allowance().deadline, Cancellation(), observed=observed
    )
    run = engine.explore(exploration).run({})
    return run.path.ending, {name: int(value) for name, value in run.outputs.items()}


def _distance(variable: Variable, one: int, other: int) -> Fraction | None:
    kind = variable.type
    if one == other:
        return Fraction(0)
    if isinstance(kind, FloatType):
        if not (sf.is_finite(kind.format, one) and sf.is_finite(kind.format, other)):
            return None
        return abs(sf.to_fraction(kind.format, one) - sf.to_fraction(kind.format, other))
    return Fraction(abs(number(kind, one) - number(kind, other))) if isinstance(kind, IntType) else Fraction(1)


def _by_distance(deviation: Deviation) -> tuple[bool, Fraction]:
    return deviation.distance is None, deviation.distance or Fraction(0)
