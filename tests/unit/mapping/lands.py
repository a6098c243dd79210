"""Small programs made of paths, maps of them, and what trying every state says instead."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

from soid.budget import Cancellation
from soid.engine.protocol import Engine, Exploration
from soid.engine.summary import (
    Approximation,
    Decided,
    Ending,
    Failed,
    Location,
    OutputValue,
    Path,
    PathSummary,
    Undecided,
    Unexplored,
    assuming,
)
from soid.formula import build
from soid.formula.passes import evaluate
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term
from soid.mapping.claims import ClaimKind, by_text
from soid.mapping.decision_map import DecisionMap
from soid.mapping.partition import Fineness
from soid.mapping.survey import survey
from soid.oracle.inquiry import Context, QuestionProgress, Settings
from soid.program.domain import Range
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType, show, symbol_sort
from soid.query.language.query_parser import parse_suppositions
from soid.query.steps import ONE, Steps
from soid.scenario.family import Family
from soid.scenario.trace import Keyframe
from soid.solver.protocol import Solver
from tests.exhaustive import ExhaustiveSolver

#: floats of six bits: all that floats have, and few enough to try every one
TINY = FloatType(Float(3, 3))
MOVES = EnumType("move", 3, False, (("STAY", 0), ("GO", 1), ("TURN", 4)))
KINDS: tuple[VariableType, ...] = (IntType(4, True), IntType(4, False), TINY, BoolType(), MOVES)

BROKEN = Failed("division by zero", Location("a.c", 3))
WAITING = Undecided("the window was over")
DARK = Unexplored("a loop without bound", Location("a.c", 9))

LOOSE = IntType(2, False)  # of `rest`, which keeps its factual value


def interface(x: VariableType, y: VariableType) -> Interface:
    return Interface((
        Variable("x", Role.ENVIRONMENT, x),
        Variable("y", Role.ENVIRONMENT, y),
        Variable("rest", Role.ENVIRONMENT, LOOSE),
        Variable("move", Role.DECISION, MOVES),
        Variable("level", Role.DECISION, IntType(5, False)),
    ))  # fmt: skip


@final
@dataclass(frozen=True)
class Land:
    """A program, and the fact that it is asked about."""

    x: VariableType
    y: VariableType
    paths: tuple[Path, ...]
    fact: tuple[int, int] = (0, 0)
    logged: Mapping[str, int] = field(default_factory=dict)  # decisions
    rounded: Mapping[str, Range] = field(default_factory=dict)  # what a rounded value of the fact may stand for
    unlogged: tuple[str, ...] = ()  # inputs that are not known
    approximations: Callable[[Mapping[Term, Term]], tuple[Approximation, ...]] = lambda _: ()  # some inputs being given

    @property
    def interface(self) -> Interface:
        return interface(self.x, self.y)

    @property
    def keyframe(self) -> Keyframe:
        inputs = {"x": self.fact[0], "y": self.fact[1], "rest": 0}
        return Keyframe(0, inputs, self.logged, self.interface, unlogged=self.unlogged, rounded=self.rounded)

    def map(
        self,
        over: str,
        by: str | None = None,
        *,
        solver: Solver | None = None,
        settings: Settings | None = None,
        steps: Steps = ONE,
        fineness: Fineness | None = None,
        cancel: Cancellation | None = None,
        progress: Callable[[QuestionProgress], None] = lambda _: None,
    ) -> DecisionMap:
        return survey(
            self.interface,
            self.keyframe,
            parse_suppositions(over, self.interface),
            by_text(by, self.interface),
            Context(
                GivenPaths(self),
                solver or ExhaustiveSolver(),
                settings=settings or Settings(accept_log_mismatch=True),
                cancel=cancel or Cancellation(),
                progress=progress,
            ),
            steps=steps,
            fineness=fineness,
        )

    def states(self) -> Iterator[tuple[int, int]]:
        yield from itertools.product(range(1 << self.x.width), range(1 << self.y.width))

    def truth(self, over: str) -> Mapping[tuple[int, int], str]:
        """What happens in each state that the suppositions allow, the fact among them: by `move` and `level`."""
        suppositions = parse_suppositions(over, self.interface)
        family = Family(self.interface, self.keyframe.inputs, suppositions)
        symbols = [variable.symbol for variable in self.interface.inputs]
        found = {}
        for x, y in self.states():
            state = {"x": x, "y": y, "rest": 0}
            values = dict(zip(symbols, state.values(), strict=True))
            fixed = all(state[path] == bits for path, bits in family.fixed.items())
            if fixed and evaluate(family.precondition, values):
                found[x, y] = said(self.paths, values)
        return found


@final
@dataclass(frozen=True)
class GivenPaths(Engine):
    """An engine whose paths are given; it prunes nothing."""

    land: Land
    name: str = "given paths"

    def explore(self, exploration: Exploration) -> PathSummary:
        variables = [self.land.interface.variable(path) for path in exploration.fixed]
        fixed = {v.symbol: build.const(v.symbol.sort, exploration.fixed[v.path]) for v in variables}
        return PathSummary(tuple(assuming(self.land.paths, fixed)), approximations=self.land.approximations(fixed))


def said(paths: Sequence[Path], values: Mapping[Term, int]) -> str:
    """What the paths say of one state: explored ones before others."""
    taken = [path for path in paths if evaluate(path.condition, values)]
    explored = [path for path in taken if not isinstance(path.ending, Unexplored)]
    path = (explored or taken)[0]
    if not isinstance(path.ending, Decided):
        return str(path.ending)
    outputs = {name: int(evaluate(output.term, values)) for name, output in path.outputs.items()}
    return f"move = {show(MOVES, outputs['move'])}, level = {outputs['level']}"


def decides(condition: Term, move: Term | int, level: Term | int = 0) -> Path:
    moves = build.const(BitVec(MOVES.width), move) if isinstance(move, int) else move
    levels = build.const(BitVec(5), level) if isinstance(level, int) else level
    return Path("decides", condition, Decided(), {"move": OutputValue(moves), "level": OutputValue(levels)})


def ends(condition: Term, ending: Ending) -> Path:
    return Path("ends", condition, ending)


def symbols(x: VariableType, y: VariableType) -> tuple[Term, Term]:
    return build.var("x", symbol_sort(x)), build.var("y", symbol_sort(y))


def placed(made: DecisionMap) -> dict[tuple[int, ...], str]:
    """The text of the label of each state that is drawn, by bits along the axes; each state in one box only."""
    found: dict[tuple[int, ...], str] = {}
    boxes = [(box, region.label.text) for region in made.regions for box in region.boxes]
    boxes += [(box, "outside") for box in made.outside]
    for box, text in boxes:
        for places in itertools.product(*(range(low, high + 1) for low, high in box)):
            bits = tuple(axis.bits(place) for axis, place in zip(made.axes, places, strict=True))
            assert bits not in found, f"{bits} lies in two boxes"
            found[bits] = text
    return found


def differences(land: Land, over: str, made: DecisionMap) -> list[str]:
    """Where a map and trying every state differ; what is open differs from nothing."""
    texts = placed(made)
    truth = land.truth(over)
    shown = [axis.variable.path for axis in made.axes]
    drawn = {tuple({"x": x, "y": y}[path] for path in shown): text for (x, y), text in truth.items()}
    open_texts = {region.label.text for region in made.regions if region.label.kind is ClaimKind.OPEN}
    wrong = [
        f"{bits}: the map says {text}, the program {drawn.get(bits, 'outside')}"
        for bits, text in texts.items()
        if text not in open_texts and text != drawn.get(bits, "outside")
    ]
    return wrong + [f"{bits} is not on the map: {text}" for bits, text in drawn.items() if bits not in texts]
