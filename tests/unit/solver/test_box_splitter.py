"""Boxes give the answer that trying every state gives, or none."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from soid.formula import build as b
from soid.formula import softfloat as sf
from soid.formula.passes import evaluate_all, substitute
from soid.formula.sorts import BOOL, FLOAT32, BitVec, Sort
from soid.formula.term import Term
from soid.solver.box_splitter import FEW, MANY, BoxSplitter, Effort, at_an_end
from soid.solver.protocol import Budget, Cancellation, Reason, Result, Sat, Unknown, Unsat
from tests.exhaustive import ExhaustiveSolver
from tests.randomness import SEEDED
from tests.unit.formula.terms import TINY, Pool, value, variable

BITS, NUMBER = BitVec(TINY.width), BitVec(3)
X, Y, P = b.var("x", BITS), b.var("y", NUMBER), b.var("p", BOOL)


class NoOtherSolver:
    """A solver that is never asked, or says nothing."""

    name = "none"

    def check(self, *_: object) -> Result:
        return Unknown(Reason.SOLVER, "no solver was to be asked")

    def close(self) -> None:
        pass


def conditions(random: Random) -> list[Term]:
    """Random conditions over the bits of a tiny float, a small number and a truth value."""
    pool = Pool(random, (BOOL, NUMBER, BITS, TINY)).grow(25)
    places: dict[Term, Term] = {
        variable(BITS, 0): X,
        variable(BITS, 1): constant(random, BITS),
        variable(TINY, 0): b.fp_from_bits(TINY, X),
        variable(TINY, 1): constant(random, TINY),
        variable(NUMBER, 0): Y if random.randrange(2) else constant(random, NUMBER),
        variable(NUMBER, 1): constant(random, NUMBER),
        variable(BOOL, 0): P if random.randrange(2) else b.fp_leq(b.fp_from_bits(TINY, X), constant(random, TINY)),
        variable(BOOL, 1): b.bvule(constant(random, BITS), X),
    }
    made = substitute(pool.by_sort[BOOL][-random.randrange(1, 5) :], places)
    return [random.choice((each, b.not_(each))) for each in made]


def effort(evaluations: int) -> Effort:
    return replace(FEW, evaluations=evaluations)


def constant(random: Random, sort: Sort) -> Term:
    return b.const(sort, value(random, sort))


@given(random=SEEDED)
@settings(max_examples=120)
def test_the_answer_is_that_of_trying_every_state(random: Random) -> None:
    question = conditions(random)
    result = BoxSplitter(NoOtherSolver(), effort=effort(random.choice((30, 300, 1_000_000)))).check(question)
    if isinstance(result, Unknown):
        return
    assert isinstance(result, type(ExhaustiveSolver().check(question))), question
    if isinstance(result, Sat):
        assert all(evaluate_all(question, result.model))


def test_most_are_settled() -> None:
    random = Random(1)
    questions = [q for q in (conditions(random) for _ in range(60)) if any(not each.is_const for each in q)]
    results = [BoxSplitter(NoOtherSolver(), effort=effort(100_000)).check(question) for question in questions]
    settled = [each for each in results if not isinstance(each, Unknown)]
    assert {type(each) for each in settled} == {Sat, Unsat}
    assert len(settled) > 0.9 * len(questions)


WORD = b.var("w", BitVec(32))
FLOAT = b.fp_from_bits(FLOAT32, WORD)


def number(text: float) -> Term:
    return b.const(FLOAT32, sf.float_to_bits32(text))


BETWEEN = [b.fp_leq(number(1.0), FLOAT), b.fp_leq(FLOAT, number(1.5))]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (b.fp_lt(b.fp_mul(FLOAT, FLOAT), number(0.99)), Unsat),
        (b.fp_lt(number(2.0), b.fp_mul(FLOAT, FLOAT)), Sat),
        (b.fp_eq(FLOAT, number(1.25)), Sat),  # the middle is not the only place that is looked at
        (b.fp_is_nan(FLOAT), Unsat),
        (b.eq(WORD, b.const(BitVec(32), sf.float_to_bits32(0.5))), Unsat),
    ],
)
def test_a_stretch_of_road_needs_no_solver(condition: Term, expected: type[Result]) -> None:
    assert isinstance(BoxSplitter(NoOtherSolver(), effort=effort(100_000)).check([*BETWEEN, condition]), expected)


def test_what_takes_many_boxes_goes_to_the_next_solver() -> None:
    """x * x is nowhere 2.0 exactly, which only a box for each float around its root shows."""
    close = b.fp_eq(b.fp_mul(FLOAT, FLOAT), number(2.0))
    assert isinstance(BoxSplitter(NoOtherSolver(), effort=effort(50)).check([*BETWEEN, close]), Unknown)
    assert isinstance(BoxSplitter(NoOtherSolver(), effort=effort(50_000)).check([*BETWEEN, close]), Unsat)


def test_many_variables_and_float_symbols_go_to_the_next_solver() -> None:
    several = [b.bvult(b.var(f"v{n}", BitVec(8)), b.var(f"v{n + 1}", BitVec(8))) for n in range(4)]
    assert isinstance(BoxSplitter(NoOtherSolver()).check(several), Unknown)
    assert isinstance(BoxSplitter(NoOtherSolver()).check([b.fp_lt(b.var("f", FLOAT32), number(1.0))]), Unknown)


def test_what_many_boxes_are_for_speaks_of_more_variables() -> None:
    several = [b.bvult(b.var(f"v{n}", BitVec(8)), b.var(f"v{n + 1}", BitVec(8))) for n in range(4)]
    result = BoxSplitter(NoOtherSolver(), effort=MANY).check(several)
    assert isinstance(result, Sat) and all(evaluate_all(several, result.model))


def test_who_is_late_or_called_off_goes_to_the_next_solver() -> None:
    cancel = Cancellation()
    cancel.cancel()
    assert isinstance(BoxSplitter(NoOtherSolver(), effort=MANY).check(BETWEEN, cancel=cancel), Unknown)
    assert isinstance(BoxSplitter(NoOtherSolver(), effort=MANY).check(BETWEEN, budget=Budget(0)), Unknown)


def test_a_state_of_many_ranges_lies_at_their_ends() -> None:
    ranges = [b.var(f"r{number}", NUMBER) for number in range(12)]
    inside = [b.bvult(b.const(NUMBER, 1), each) for each in ranges]
    differs = b.any_of(b.not_(b.eq(each, b.const(NUMBER, 2))) for each in ranges)
    model = at_an_end([*inside, differs])
    assert model is not None and all(evaluate_all([*inside, differs], model))
    assert at_an_end([*inside, b.eq(ranges[0], b.const(NUMBER, 0))]) is None
