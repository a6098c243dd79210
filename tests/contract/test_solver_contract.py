"""What every back end promises, in this process and in one of its own."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Iterator
from functools import cache

import pytest

from soid.formula import build as b
from soid.formula.constant_table import ConstantTable
from soid.formula.passes import evaluate_all, free_variables
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BOOL, FLOAT32, FLOAT64, BitVec, Float
from soid.formula.term import Term
from soid.solver.back_ends import NAMES, in_process
from soid.solver.protocol import Budget, Cancellation, Reason, Result, Sat, Solver, Unknown, Unsat
from soid.solver.solver_process import SolverProcess
from tests.hard_question import hard_question

FORMS = [f"{name}, {form}" for name in NAMES for form in ("in process", "own process")]
BYTE = BitVec(8)
P, Q = b.var("p", BOOL), b.var("q", BOOL)
X, Y = b.var("x", BYTE), b.var("y", BYTE)
F, G = b.var("f", FLOAT32), b.var("g", FLOAT64)


@pytest.fixture(scope="module", params=FORMS)
def solver(request: pytest.FixtureRequest) -> Iterator[Solver]:
    """One for all tests of the module, so that each test also shows that the ones before it left nothing behind."""
    name, form = request.param.split(", ")
    made: Solver = in_process(name) if form == "in process" else SolverProcess(name)
    yield made
    made.close()


@pytest.fixture(scope="module", params=NAMES)
def process(request: pytest.FixtureRequest) -> Iterator[SolverProcess]:
    made = SolverProcess(request.param)
    yield made
    made.close()


def byte(value: int) -> Term:
    return b.const(BYTE, value)


def holds(result: Result, terms: list[Term]) -> bool:
    """Whether it is sat, with a model that is total and right."""
    return (
        isinstance(result, Sat)
        and free_variables(terms) <= result.model.keys()
        and all(evaluate_all(terms, result.model))
    )


# --- sat, unsat, unknown ----------------------------------------------------------------------------------------------


def test_nothing_at_all_is_sat(solver: Solver) -> None:
    assert solver.check([]) == Sat({})


def test_a_model_is_total_and_holds(solver: Solver) -> None:
    terms = [b.bvult(X, Y), b.or_(P, b.eq(Q, b.fp_is_nan(F))), b.fp_leq(G, G)]
    assert holds(solver.check(terms), terms)


def test_contradictions_are_unsat(solver: Solver) -> None:
    assert isinstance(solver.check([b.bvult(X, Y), b.bvult(Y, X)]), Unsat)
    assert isinstance(solver.check([b.not_(b.fp_eq(F, F)), b.not_(b.fp_is_nan(F))]), Unsat)
    assert isinstance(solver.check([b.FALSE]), Unsat)
    assert isinstance(solver.check([P, b.not_(P)]), Unsat)


def test_variables_of_one_name_and_two_sorts_are_two(solver: Solver) -> None:
    other = b.var("x", BitVec(4))
    terms = [b.eq(X, byte(200)), b.eq(other, b.const(BitVec(4), 3))]
    assert solver.check(terms) == Sat({X: 200, other: 3})


def test_odd_names(solver: Solver) -> None:
    names = ["world.agents[1].pos_x", "a b", "started'", "|", "", "é", "x'y|z\\"]
    terms = [b.eq(b.var(name, BYTE), byte(place)) for place, name in enumerate(names)]
    assert solver.check(terms) == Sat({b.var(name, BYTE): place for place, name in enumerate(names)})


def test_look_ups(solver: Solver) -> None:
    primes = ConstantTable.of(BYTE, [2, 3, 5, 7, 11])
    assert solver.check([b.eq(b.lookup(primes, X), byte(7))]) == Sat({X: 3})
    assert isinstance(solver.check([b.eq(b.lookup(primes, X), byte(4))]), Unsat)
    outside = [b.eq(b.lookup(primes, X), byte(0)), b.bvult(byte(4), X)]
    assert holds(solver.check(outside), outside)
    index = b.lookup(ConstantTable.of(BYTE, [4, 3, 2]), X)
    assert solver.check([b.eq(b.lookup(primes, index), byte(11)), b.eq(X, byte(0))]) == Sat({X: 0})


def test_a_variable_that_does_not_matter_is_in_the_model(solver: Solver) -> None:
    terms = [b.eq(b.lookup(ConstantTable.of(BYTE, [9] * 256), X), byte(9)), b.or_(P, b.not_(Q))]
    assert holds(solver.check(terms), terms)


@pytest.mark.parametrize("signed", [True, False])
def test_conversions_out_of_range_are_zero(solver: Solver, signed: bool) -> None:
    convert = b.fp_to_signed if signed else b.fp_to_unsigned
    number = convert(Rounding.RTZ, 8, F)
    outside = b.not_(b.fits_integer(Rounding.RTZ, 8, F, signed=signed))
    assert isinstance(solver.check([outside, b.not_(b.eq(number, byte(0)))]), Unsat)
    largest = 127 if signed else 255
    assert holds(solver.check([b.eq(number, byte(largest))]), [b.eq(number, byte(largest))])


# --- models -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sort", [FLOAT32, FLOAT64], ids=["float32", "float64"])
def test_models_have_the_right_bits(solver: Solver, sort: Float) -> None:
    value = b.var("value", sort)
    assert solver.check([b.fp_is_nan(value)]) == Sat({value: sort.nan})
    negative_zero = [b.fp_is_zero(value), b.fp_is_negative(value)]
    assert solver.check(negative_zero) == Sat({value: sort.sign_bit})
    least = [b.fp_is_subnormal(value), b.fp_lt(value, b.const(sort, 2)), b.fp_is_positive(value)]
    assert solver.check(least) == Sat({value: 1})
    assert solver.check([b.fp_is_inf(value), b.fp_is_negative(value)]) == Sat({value: sort.sign_bit | sort.infinity})
    largest = [b.fp_leq(b.const(sort, sort.max_finite), value), b.not_(b.fp_is_inf(value))]
    assert solver.check(largest) == Sat({value: sort.max_finite})


def test_identity_tells_zeros_apart_and_knows_nan(solver: Solver) -> None:
    zeros = [b.fp_eq(F, b.const(FLOAT32, 0)), b.not_(b.eq(F, b.const(FLOAT32, 0)))]
    assert solver.check(zeros) == Sat({F: FLOAT32.sign_bit})
    assert solver.check([b.eq(F, b.const(FLOAT32, FLOAT32.nan))]) == Sat({F: FLOAT32.nan})
    nans = b.var("bits", BitVec(32))
    both = [b.fp_is_nan(b.fp_from_bits(FLOAT32, nans)), b.not_(b.eq(F, b.fp_from_bits(FLOAT32, nans))), b.fp_is_nan(F)]
    assert isinstance(solver.check(both), Unsat)


def test_wide_bit_vectors(solver: Solver) -> None:
    wide = b.var("wide", BitVec(200))
    value = (1 << 199) + 12345
    assert solver.check([b.eq(b.bvnot(wide), b.const(BitVec(200), ~value))]) == Sat({wide: value})


# --- one question after another ---------------------------------------------------------------------------------------


def test_growing_and_shrinking(solver: Solver) -> None:
    terms = [b.bvult(X, byte(100)), b.bvult(Y, X), b.bvult(byte(97), Y), b.bvult(byte(98), Y)]
    for length in (1, 2, 3, 4, 3, 0, 4, 2, 3):
        result = solver.check(terms[:length])
        assert isinstance(result, Unsat) if length == 4 else holds(result, terms[:length])


def test_any_order_of_questions(solver: Solver) -> None:
    """Random prefixes, changed at random places, against all values of two small variables."""
    small = BitVec(3)
    one, two = b.var("one", small), b.var("two", small)
    rng = random.Random(7)
    atoms = [
        comparison(side, b.const(small, rng.randrange(8)))
        for side in (one, two, b.bvadd(one, two), b.bvmul(one, two))
        for comparison in (b.bvult, b.bvslt, b.eq)
    ]
    atoms += [b.not_(atom) for atom in atoms]
    question: list[Term] = []
    for _ in range(60):
        del question[rng.randrange(len(question) + 1) :]
        question += rng.sample(atoms, rng.randrange(1, 3))
        values = ({one: i, two: j} for i, j in itertools.product(range(8), repeat=2))
        possible = any(all(evaluate_all(question, value)) for value in values)
        result = solver.check(question)
        assert holds(result, question) if possible else isinstance(result, Unsat)


def test_a_last_conjunct_does_not_stick(solver: Solver) -> None:
    for value in (3, 4, 3):
        assert solver.check([b.bvult(X, byte(9)), b.eq(X, byte(value))]) == Sat({X: value})
    assert isinstance(solver.check([b.bvult(X, byte(9)), b.eq(X, byte(10))]), Unsat)
    assert isinstance(solver.check([b.bvult(X, byte(9))]), Sat)


# --- budgets and cancellation -----------------------------------------------------------------------------------------


def test_a_budget_is_kept(process: SolverProcess) -> None:
    process.check([P])
    result = process.check(hard_question(), budget=Budget(0.5))
    assert isinstance(result, Unknown)
    assert result.reason is Reason.TIME
    assert process.check([b.eq(X, byte(1))]) == Sat({X: 1})


def test_no_time_at_all(solver: Solver) -> None:
    result = solver.check(hard_question(), budget=Budget(0.0))
    assert isinstance(result, Unknown)
    assert result.reason is Reason.TIME
    assert isinstance(solver.check([P]), Sat)


def test_cancellation_while_it_works(process: SolverProcess) -> None:
    process.check([P])
    result = cancelled(process)
    assert isinstance(result, Unknown)
    assert result.reason is Reason.CANCELLED
    assert isinstance(process.check([P]), Sat)


def cancelled(solver: Solver) -> Result:
    """What a solver says that is told to stop while it works; without a budget, only that ends it."""
    cancel = Cancellation()
    threading.Timer(0.3, cancel.cancel).start()
    return solver.check(hard_question(), cancel=cancel)


def test_cancelled_before_it_began(solver: Solver) -> None:
    cancel = Cancellation()
    cancel.cancel()
    result = solver.check([P], cancel=cancel)
    assert isinstance(result, Unknown)
    assert result.reason is Reason.CANCELLED


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
def test_these_two_stop_in_process_too(name: str) -> None:
    """cvc5 does not: it holds Python's lock, so that nobody can even ask it to."""
    solver = in_process(name)
    result = solver.check(hard_question(), budget=Budget(0.5))
    assert isinstance(result, Unknown)
    assert result.reason is Reason.TIME
    result = cancelled(solver)
    assert isinstance(result, Unknown)
    assert result.reason is Reason.CANCELLED


def test_closed_and_used_again(solver: Solver) -> None:
    solver.close()
    solver.close()
    assert solver.check([b.eq(X, byte(1))]) == Sat({X: 1})


# --- deep terms -------------------------------------------------------------------------------------------------------


@cache
def nested(depth: int) -> list[Term]:
    term = P
    for level in range(depth):
        other = b.var(f"v{level % 5}", BOOL)
        term = b.or_(other, b.not_(term)) if level % 2 else b.and_(term, other)
    return [term]


def test_nested_deeper_than_an_ordinary_stack(process: SolverProcess) -> None:
    terms = nested(20_000)
    assert holds(process.check(terms), terms)


@pytest.mark.parametrize("name", NAMES)
def test_nested_a_hundred_thousand_deep(name: str) -> None:
    """An answer, or a reason for none; never a crash of this process."""
    terms, solver = nested(100_000), in_process(name)
    result = solver.check(terms, budget=Budget(1.0))
    assert holds(result, terms) or isinstance(result, Unknown)
    assert isinstance(solver.check([P]), Sat)
    solver.close()
