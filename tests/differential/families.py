"""A generated program over its small family of states: what trying every state natively says, and what soid says.

states = list(program.family())                  at most 64, the first vector among them
uncovered(opened, states, runs)                  where the paths and the native runs differ, in words
for question in questions(opened, states, runs): the answer must be question.expected
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from soid.engine.summary import Path, PathSummary
from soid.engine.summary_cache.summaries import Summaries
from soid.formula.build import all_of
from soid.formula.checker import Impossible, Possibility, Possible
from soid.formula.passes import evaluate
from soid.formula.term import Term
from soid.oracle.answer import Answer
from soid.oracle.inquiry import Context, Settings
from soid.oracle.pipeline import answer
from soid.program.interface import Role
from soid.query.behavior import Behavior
from soid.query.query import Query, QueryKind
from soid.recipe import SOID, Recipe
from soid.scenario import expression as ex
from soid.scenario.expression import Comparison
from soid.scenario.family import Family
from soid.scenario.supposition import Anything
from soid.scenario.trace import Keyframe
from soid.solver.protocol import Solver
from tests.differential.engine_runs import Opened, disagreement
from tests.differential.generator import Vector
from tests.differential.generator.model import Port
from tests.differential.generator.native import NativeRun
from tests.differential.generator.scalars import TypeKind, is_nan_bits, value_of

SECONDS = 60.0
_TRUTHS = {"true": "1", "false": "0"}


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the verdict that trying every state gives."""

    query: Query
    expected: str


class Trying:
    """A checker that tries the states of a family, and no others."""

    def __init__(self, states: Sequence[Mapping[Term, int]]) -> None:
        self.states = states

    def __call__(self, conjuncts: Sequence[Term], /) -> Possibility:
        goal = all_of(conjuncts)
        for state in self.states:
            if evaluate(goal, state):
                return Possible(state)
        return Impossible()


def symbols(opened: Opened, state: Vector) -> dict[Term, int]:
    """The free inputs of a state, as paths speak of them."""
    free = [path for path in opened.program.domains if path in opened.names]
    return {opened.interface.variable(opened.names[path]).symbol: state[path] for path in free}


def family(opened: Opened) -> Family:
    """The states as a Family; the first vector is the fact."""
    free = [opened.names[path] for path in opened.program.domains if path in opened.names]
    return Family(opened.interface, fact_of(opened), tuple(Anything(path) for path in free))


def fact_of(opened: Opened) -> dict[str, int]:
    base = opened.program.vectors[0]
    return {name: base[path] for path, name in opened.names.items() if path in base}


def uncovered(
    opened: Opened, states: Sequence[Vector], runs: Sequence[NativeRun], *, optimised: bool = False
) -> list[str]:
    """States that no path or several paths cover, and those on which a path gives something else than the program."""
    program = opened.program
    fixed = {path: bits for path, bits in program.vectors[0].items() if path not in program.domains}
    spoken = [symbols(opened, state) for state in states]
    summary = opened.explore(fixed, family(opened).precondition, Trying(spoken))
    found = [f"{program.name}: path {p.name} is no state's" for p in _unused(summary, spoken)]
    for state, values, run in zip(states, spoken, runs, strict=True):
        taken = [path for path in summary.paths if evaluate(path.condition, values)]
        if len(taken) != 1:
            found.append(f"{program.name}: {len(taken)} paths cover {dict(state)}")
        else:
            found.append(disagreement(program, state, opened.outcome(taken[0], values), run, optimised=optimised))
    return [words for words in found if words]


def _unused(summary: PathSummary, states: Sequence[Mapping[Term, int]]) -> list[Path]:
    return [path for path in summary.paths if not any(evaluate(path.condition, state) for state in states)]


# --- questions --------------------------------------------------------------------------------------------------


def questions(
    opened: Opened, states: Sequence[Vector], runs: Sequence[NativeRun], count: int, kept: Collection[str] = ()
) -> Iterator[Question]:
    """Random questions about the family, each kind in turn; `kept` are inputs that stay as in fact."""
    rng = random.Random(f"{opened.program.name} questions")
    base = opened.program.vectors[0]
    within = [
        (state, run) for state, run in zip(states, runs, strict=True) if all(state[path] == base[path] for path in kept)
    ]
    others = [(state, run) for state, run in within if state != base]
    fact = next(run for state, run in within if state == base)
    freed = [path for path in opened.program.domains if path in opened.names and path not in kept]
    free = tuple(Anything(opened.names[path]) for path in freed)
    for number in range(count):
        kind = list(QueryKind)[number % 3]
        expression = _behavior(rng, opened, runs)
        if kind is QueryKind.DID:
            yield Question(Query(kind, Behavior(expression)), "yes" if holds(opened, expression, fact) else "no")
        elif free:
            verdicts = [holds(opened, expression, run) for _, run in others]
            found = all(verdicts) if kind is QueryKind.WOULD else any(verdicts)
            expected = "vacuous" if not verdicts else "yes" if found else "no"
            yield Question(Query(kind, Behavior(expression), free), expected)


def _behavior(rng: random.Random, opened: Opened, runs: Sequence[NativeRun]) -> ex.Expression:
    roll = rng.random()
    if roll < 0.1:
        return rng.choice((ex.Fails(), ex.Decides()))
    atom = _atom(rng, opened, runs)
    if roll < 0.25:
        return ex.Not(atom)
    if roll < 0.35:
        return ex.Or((atom, ex.Fails()))
    if roll < 0.45:
        return ex.And((atom, _atom(rng, opened, runs)))
    return atom


def _atom(rng: random.Random, opened: Opened, runs: Sequence[NativeRun]) -> ex.Expression:
    """Something about one output, and about a value that it has somewhere in the family."""
    seen = [run.outputs for run in runs if run.outputs is not None]
    ports = [port for port in opened.program.outputs if port.path in opened.names]
    if not seen or not ports:
        return ex.Decides()
    port = rng.choice(ports)
    bits = rng.choice(seen)[port.path]
    variable = opened.interface.variable(opened.names[port.path])
    name = ex.Name(variable.path, primed=variable.role is Role.STATE)
    if is_nan_bits(port.ctype, bits):
        return ex.Identical(name, ex.Literal("nan"))
    if port.ctype.kind is TypeKind.BOOL:
        return ex.Compare(name, ((Comparison.EQ, ex.Literal("true" if bits else "false")),))
    if port.ctype.kind is TypeKind.ENUM or rng.random() < 0.3:
        return ex.Identical(name, ex.Literal(f"bits({bits:#x})"))
    value = value_of(port.ctype, bits)
    return ex.Compare(name, ((rng.choice(list(Comparison)), ex.Literal(str(value))),))


def holds(opened: Opened, expression: ex.Expression, run: NativeRun) -> bool | None:
    """Whether a native run shows the behavior; None: neither it nor its opposite."""
    match expression:
        case ex.Fails():
            return run.fault is not None
        case ex.Decides():
            return run.fault is None
        case ex.Not(operand):
            inner = holds(opened, operand, run)
            return None if inner is None else not inner
        case ex.Or(operands):
            return _any([holds(opened, each, run) for each in operands])
        case ex.And(operands):
            either = _any([holds(opened, ex.Not(each), run) for each in operands])
            return None if either is None else not either
        case ex.Identical(ex.Name(path, _), ex.Literal(text)):
            return _same(opened, path, text, run)
        case ex.Compare(ex.Name(path, _), ((comparison, ex.Literal(text)),)):
            return _compared(opened, path, comparison, text, run)
        case _:
            raise AssertionError(expression)


def _any(truths: list[bool | None]) -> bool | None:
    if True in truths:
        return True
    return None if None in truths else False


def _port(opened: Opened, path: str) -> Port:
    return next(port for port in opened.program.outputs if opened.names.get(port.path) == path)


def _same(opened: Opened, path: str, text: str, run: NativeRun) -> bool | None:
    if run.outputs is None:
        return None
    port = _port(opened, path)
    bits = run.outputs[port.path]
    if text == "nan":
        return is_nan_bits(port.ctype, bits)
    return bits == int(text.removeprefix("bits(").removesuffix(")"), 16)


def _compared(opened: Opened, path: str, comparison: Comparison, text: str, run: NativeRun) -> bool | None:
    if run.outputs is None:
        return None
    port = _port(opened, path)
    left = value_of(port.ctype, run.outputs[port.path])
    right = float(text) if port.ctype.is_float else int(_TRUTHS.get(text, text))
    truths = {
        "<": left < right,
        "<=": left <= right,
        "==": left == right,
        "!=": left != right,
        ">": left > right,
        ">=": left >= right,
    }
    return truths[comparison.value]


def ask(
    opened: Opened,
    question: Question,
    solver: Solver,
    recipe: Recipe = SOID,
    seconds: float = SECONDS,
    summaries: Summaries | None = None,
) -> Answer:
    """What soid says."""
    keyframe = Keyframe(0, fact_of(opened), {}, opened.interface)
    settings = Settings(seconds=seconds, witness_seconds=0.5, recipe=recipe)
    context = Context(opened.engine, solver, summaries=summaries, settings=settings)
    return answer(question.query.checked(opened.interface), keyframe, context)
