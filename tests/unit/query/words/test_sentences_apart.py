"""Two questions of which one may be yes and the other no are never told by the same sentence."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from random import Random

import pytest

from soid.query.behavior import Behavior
from soid.query.language.query_parser import parse
from soid.query.query import Query, QueryKind
from soid.query.words import Words, sentence
from soid.scenario import expression as ex
from soid.scenario.expression import Comparison, Expression
from soid.scenario.supposition import Satisfies
from tests.unit.query.queries import INTERFACE


def equal(name: str, label: str) -> Expression:
    return ex.Compare(ex.Name(name), ((Comparison.EQ, ex.Name(label)),))


INPUTS = (ex.Name("error"), ex.Name("closed"), equal("signal", "LEFT"))
DECISIONS = (
    ex.Name("move"),
    equal("choice", "LEFT"),
    ex.Compare(ex.Name("brake"), ((Comparison.GT, ex.Literal("1")),)),
)
MOVING = ex.Name("move")


def formula(random: Random, atoms: Sequence[Expression], depth: int) -> Expression:
    if depth == 0 or random.random() < 0.2:
        return random.choice(atoms)
    parts = tuple(formula(random, atoms, depth - 1) for _ in range(random.choice((2, 2, 3))))
    match random.choice(("and", "or", "not", "implies", "iff")):
        case "and":
            return ex.And(parts)
        case "or":
            return ex.Or(parts)
        case "not":
            return ex.Not(parts[0])
        case "implies":
            return ex.Implies(*parts[:2])
        case _:
            return ex.Iff(*parts[:2])


def holds(node: Expression, at: Mapping[Expression, bool]) -> bool:
    match node:
        case ex.And(parts):
            return all(holds(each, at) for each in parts)
        case ex.Or(parts):
            return any(holds(each, at) for each in parts)
        case ex.Not(operand):
            return not holds(operand, at)
        case ex.Implies(left, right):
            return not holds(left, at) or holds(right, at)
        case ex.Iff(left, right):
            return holds(left, at) is holds(right, at)
        case _:
            return at[node]


def table(node: Expression, atoms: Sequence[Expression]) -> tuple[bool, ...]:
    states = itertools.product((False, True), repeat=len(atoms))
    return tuple(holds(node, dict(zip(atoms, state, strict=True))) for state in states)


def as_behavior(node: Expression) -> Query:
    return Query(QueryKind.MIGHT, Behavior(node))


def as_supposition(node: Expression) -> Query:
    return Query(QueryKind.MIGHT, Behavior(MOVING), (Satisfies(node),))


@pytest.mark.parametrize(
    ("atoms", "asked"), [(DECISIONS, as_behavior), (INPUTS, as_behavior), (INPUTS, as_supposition)]
)
def test_the_same_sentence_means_the_same(atoms: Sequence[Expression], asked: Callable[[Expression], Query]) -> None:
    random, meant = Random(17), dict[str, tuple[bool, ...]]()
    for _ in range(3000):
        node = formula(random, atoms, 3)
        told = sentence(asked(node), INTERFACE)
        assert meant.setdefault(told, table(node, atoms)) == table(node, atoms), told
    assert len(meant) > 500


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("might move if not (1 < x < 2)", "had it not been so that (x was more than 1.0 m and less than 2.0 m)?"),
        (
            "might move if (error or closed) and started",
            "had it been so that (error was true or the door being closed was true) and started been true?",
        ),
        ("might move if x is not nan", "had x been a number?"),
        ("might move if rem(n, 3) == 1", "had what is left over of n divided by 3 been 1?"),
    ],
)
def test_what_is_joined_is_in_parentheses(text: str, words: str) -> None:
    assert sentence(parse(text, INTERFACE), INTERFACE) == f'Might it ever decide for "move", {words}'


BOTH = 'decide for "move" and set brake to more than 1.0'
EITHER = 'decide for "move" or choose LEFT as choice'


@pytest.mark.parametrize(
    ("behavior", "words"),
    [
        ("(move or choice == LEFT) and brake > 1", f"({EITHER}) and set brake to more than 1.0"),
        ("not (1 < brake < 2)", "act so that it is not so that (brake is more than 1.0 and less than 2.0)"),
        ("not (move and brake > 1)", f"not both {BOTH}"),
        ("(move and brake > 1) within 5 steps", f"({BOTH}) at least once in 5 steps"),
    ],
)
def test_deeds_that_are_joined(behavior: str, words: str) -> None:
    assert Words(INTERFACE).doing(parse(f"did {behavior}", INTERFACE)) == words
