"""Whole terms, at random: the solvers agree with evaluation, and with each other where evaluation cannot tell."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings

from soid.formula import build as b
from soid.formula.passes import evaluate_all, free_variables
from soid.formula.sorts import BOOL, FLOAT32, BitVec
from soid.formula.term import Term
from soid.solver.back_ends import NAMES, in_process
from soid.solver.protocol import Budget, Reason, Result, Sat, Unknown, Unsat
from tests.randomness import SEEDED
from tests.unit.formula.terms import Pool, value

SECONDS = Budget(5.0)


def is_(term: Term, value: bool | int) -> Term:
    return b.eq(term, b.const(term.sort, value))


def ask(question: list[Term], names: tuple[str, ...]) -> list[Result]:
    """What those say who know; models evaluated."""
    answers = [in_process(name).check(question, budget=SECONDS) for name in names]
    for answer in answers:
        if isinstance(answer, Unknown):
            assert answer.reason in (Reason.UNSUPPORTED, Reason.TIME), answer
        if isinstance(answer, Sat):
            assert all(evaluate_all(question, answer.model))
    return [answer for answer in answers if not isinstance(answer, Unknown)]


def agree(random: Random, names: tuple[str, ...] = NAMES) -> None:
    pool = Pool(random).grow(25)
    terms = [pool.pick(sort) for sort in (BOOL, BOOL, BOOL, BitVec(8), FLOAT32)]
    values = {v: b.const(v.sort, value(random, v.sort)).value for v in free_variables(terms)}
    known = [is_(term, truth) for term, truth in zip(terms, evaluate_all(terms, values), strict=True)]
    fixed = [is_(variable, given) for variable, given in values.items()]
    some = [term for term in fixed if random.random() < 0.6]
    assert all(isinstance(answer, Sat) for answer in ask([*known, *some], names))
    assert all(isinstance(answer, Unsat) for answer in ask([*fixed, b.not_(known[-1])], names))
    assert len({type(answer) for answer in ask([*known[:2], b.not_(known[2]), *some], names)}) <= 1


@settings(max_examples=25)
@given(random=SEEDED)
def test_solvers_agree_with_evaluation_and_with_each_other(random: Random) -> None:
    agree(random)


@pytest.mark.fuzz
@given(random=SEEDED)
def test_solvers_agree_for_as_long_as_one_likes(random: Random) -> None:
    agree(random)
