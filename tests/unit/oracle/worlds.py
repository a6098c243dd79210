"""Small programs without files, engines that are honest or not, and solvers that can be made to fail on cue."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

from soid.assumptions import Assumption
from soid.budget import UNLIMITED, Budget, Cancellation
from soid.engine.protocol import Engine, Exploration
from soid.engine.summary import (
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
from soid.formula.build import FALSE, TRUE
from soid.formula.term import Term
from soid.oracle.answer import Answer
from soid.oracle.inquiry import Context, QuestionProgress, Settings
from soid.oracle.pipeline import answer
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, IntType
from soid.query.language.query_parser import parse_checked
from soid.scenario.trace import Keyframe
from soid.solver.protocol import Reason, Result, Solver, Unknown
from tests.exhaustive import ExhaustiveSolver

MOVES = EnumType("move", 2, False, (("STAY", 0), ("GO", 1), ("TURN", 2)))

#: x, y: what it perceives; armed: what it remembers; move: what it decides; inner: what happens inside
INTERFACE = Interface((
    Variable("x", Role.ENVIRONMENT, IntType(2, signed=False)),
    Variable("y", Role.ENVIRONMENT, IntType(2, signed=True)),
    Variable("armed", Role.STATE, BoolType()),
    Variable("move", Role.DECISION, MOVES),
    Variable("inner", Role.INTERNAL, IntType(2, signed=False)),
))  # fmt: skip
X, Y, ARMED = (variable.symbol for variable in INTERFACE.inputs)

BROKEN = Failed("division by zero", Location("a.c", 3))
WAITING = Undecided("the window was over")
DARK = Unexplored("a loop without bound", Location("a.c", 9))


def is_(symbol: Term, bits: int) -> Term:
    return build.eq(symbol, build.const(symbol.sort, bits))


def decides(name: str, condition: Term, move: str, *, armed: Term = ARMED, inner: Term = FALSE) -> Path:
    """A path that moves; `inner` is reached where this says so, and has the value of x there."""
    outputs = {
        "move": OutputValue(build.const(X.sort, MOVES.number(move) or 0)),
        "armed'": OutputValue(armed),
        "inner": OutputValue(X, inner),
    }
    return Path(name, condition, Decided(), outputs)


def ends(name: str, condition: Term, ending: Ending) -> Path:
    return Path(name, condition, ending)


#: stays at x = 0, goes at 1, turns at 2 and reaches what is inside; and something else happens at x = 3
def paths(otherwise: Ending) -> tuple[Path, ...]:
    return (
        decides("zero", is_(X, 0), "STAY"),
        decides("one", is_(X, 1), "GO", armed=TRUE),
        decides("two", is_(X, 2), "TURN", inner=TRUE),
        ends("three", is_(X, 3), otherwise),
    )


#: what the fake engine assumes
FAKE = Assumption("fake", "the fake engine")


@final
@dataclass
class FakeEngine(Engine):
    """An engine whose paths are given; it prunes nothing."""

    given: Sequence[Path]
    relies_on: tuple[Assumption, ...] = (FAKE,)
    name: str = "fake"
    explorations: list[Exploration] = field(default_factory=list)

    def explore(self, exploration: Exploration) -> PathSummary:
        self.explorations.append(exploration)
        fixed = {
            variable.symbol: build.const(variable.symbol.sort, exploration.fixed[variable.path])
            for variable in INTERFACE.inputs
            if variable.path in exploration.fixed
        }
        return PathSummary(tuple(assuming(self.given, fixed)), self.relies_on)


@final
class OnCue:
    """An honest solver that passes one question (with `onwards`: all from there on) to another answerer."""

    name = "on cue"

    def __init__(self, at: int, instead: Callable[[Result], Result], *, onwards: bool = False) -> None:
        self.inner = ExhaustiveSolver()
        self.at = at
        self.instead = instead
        self.onwards = onwards
        self.calls = 0

    def check(
        self, conjuncts: Sequence[Term], budget: Budget = UNLIMITED, cancel: Cancellation | None = None
    ) -> Result:
        result = self.inner.check(conjuncts, budget, cancel)
        cue = self.calls >= self.at if self.onwards else self.calls == self.at
        self.calls += 1
        return self.instead(result) if cue else result

    def close(self) -> None:
        pass


def gives_up(_: Result) -> Result:
    return Unknown(Reason.TIME, "2 s were over")


def ask(
    question: str,
    given: Sequence[Path] = paths(BROKEN),
    *,
    fact: Mapping[str, int] | None = None,
    logged: Mapping[str, int] | None = None,
    solver: Solver | None = None,
    settings: Settings | None = None,
    cancel: Cancellation | None = None,
    progress: Callable[[QuestionProgress], None] = lambda _: None,
) -> Answer:
    """Put a question; in fact x was 0, y was 1 and it was not armed."""
    inputs = {"x": 0, "y": 1, "armed": 0} | dict(fact or {})
    return answer(
        parse_checked(question, INTERFACE),
        Keyframe(0, inputs, dict(logged or {}), INTERFACE),
        Context(
            FakeEngine(given),
            solver or ExhaustiveSolver(),
            settings=settings or Settings(),
            cancel=cancel or Cancellation(),
            progress=progress,
        ),
    )
