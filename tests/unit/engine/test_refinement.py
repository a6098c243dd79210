"""Asking again where an approximation misled the solver: only what the library confirms is possible, and it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import pytest

from soid.engine.refinement import RefiningChecker
from soid.engine.summary import Approximation, Decided, Enclosure, Location, OutputValue, Path, PathSummary
from soid.errors import InternalError
from soid.formula import build
from soid.formula.checker import Impossible, Open, Possibility, Possible
from soid.formula.intervals import Values, everything
from soid.formula.passes import evaluate_all, free_variables
from soid.formula.sorts import BitVec
from soid.formula.term import Term

_BITS = 4
_SORT = BitVec(_BITS)
X, Y = build.var("x", _SORT), build.var("y", _SORT)


@dataclass(frozen=True)
class Squares(Enclosure):
    """x * x modulo 16, known at the points that were asked for; perhaps with a bound that does not hold."""

    symbol: Term
    argument: Term
    points: tuple[int, ...] = ()
    wrong: bool = False

    def facts(self) -> tuple[Term, ...]:
        at_points = (
            build.implies(build.eq(self.argument, _number(x)), build.eq(self.symbol, _number(x * x)))
            for x in self.points
        )
        return (*at_points, *((build.bvult(self.symbol, _number(2)),) if self.wrong else ()))

    def over(self, arguments: tuple[Values, ...], /) -> Values:
        return everything(_SORT)

    def value(self, arguments: tuple[int, ...], /) -> int:
        return arguments[0] ** 2 % (1 << _BITS)

    def closer(self, arguments: tuple[int, ...], /) -> Squares:
        return replace(self, points=(*self.points, arguments[0]))


def _number(value: int) -> Term:
    return build.const(_SORT, value)


def _square(name: str, argument: Term, *, wrong: bool = False) -> Approximation:
    symbol = build.var(name, _SORT)
    return Approximation(symbol, "square", (argument,), Location("car.c", 7), Squares(symbol, argument, wrong=wrong))


def _last_first(conjuncts: Sequence[Term]) -> Possibility:
    """A checker that tries everything, from the last value down: the worst of models for squares."""
    variables = sorted(free_variables(conjuncts), key=lambda term: term.name)
    for values in product(range((1 << _BITS) - 1, -1, -1), repeat=len(variables)):
        model = dict(zip(variables, values, strict=True))
        if all(evaluate_all(conjuncts, model)):
            return Possible(model)
    return Impossible()


def _refining(*approximations: Approximation, rounds: int = 100) -> RefiningChecker:
    return RefiningChecker({one.symbol: one for one in approximations}, rounds)


def test_a_possible_state_is_a_real_one() -> None:
    one = _square("s", X)
    answer = _refining(one).checker(_last_first)([build.eq(one.symbol, _number(9)), build.bvult(X, _number(8))])
    assert isinstance(answer, Possible)
    assert answer.model[X] in (3, 5)
    assert answer.model[one.symbol] == 9


def test_what_no_argument_gives_is_impossible() -> None:
    one = _square("s", X)
    assert _refining(one).checker(_last_first)([build.eq(one.symbol, _number(3))]) == Impossible()


def test_it_ends_and_says_where() -> None:
    one = _square("s", X)
    answer = _refining(one, rounds=3).checker(_last_first)([build.eq(one.symbol, _number(3))])
    assert answer == Open("approximated function square at car.c:7", approximated=True)


def test_results_may_be_arguments() -> None:
    inner = _square("s", X)
    outer = _square("t", inner.symbol)
    small = build.and_(build.bvult(X, _number(4)), build.bvult(_number(1), X))
    check = _refining(inner, outer).checker(_last_first)
    answer = check([build.eq(outer.symbol, _number(1)), small])  # 3 ** 4 = 81 = 5 * 16 + 1
    assert isinstance(answer, Possible)
    assert answer.model[X] == 3
    assert check([build.eq(outer.symbol, _number(2)), small]) == Impossible()


def test_equal_arguments_give_equal_results() -> None:
    one, other = _square("s", X), _square("t", build.bvadd(Y, _number(0)))
    different = build.not_(build.eq(one.symbol, other.symbol))
    asked: list[int] = []

    def check(conjuncts: Sequence[Term]) -> Possibility:
        asked.append(len(conjuncts))
        values = {X: 5, Y: 5, one.symbol: 1, other.symbol: 2}
        return Possible(values) if all(evaluate_all(conjuncts, values)) else Impossible()

    assert _refining(one, other).checker(check)([build.eq(X, Y), different]) == Impossible()
    assert len(asked) == 1


def test_a_library_that_breaks_its_promise_is_reported() -> None:
    one = _square("s", X, wrong=True)
    check = _refining(one).checker(_last_first)
    with pytest.raises(InternalError, match="square"):
        check([build.eq(X, _number(3)), build.bvult(one.symbol, _number(9))])


def test_other_questions_pass_unchanged() -> None:
    one = _square("s", X)
    seen: list[Sequence[Term]] = []

    def check(conjuncts: Sequence[Term]) -> Possibility:
        seen.append(conjuncts)
        return Impossible()

    asked = [build.bvult(Y, X)]
    _refining(one).checker(check)(asked)
    assert seen == [asked]


def test_a_summary_runs_with_what_the_library_returns() -> None:
    one = _square("s", X)
    large = build.bvult(_number(5), one.symbol)
    paths = (
        Path("large", large, Decided(), {"out": OutputValue(one.symbol)}),
        Path("small", build.not_(large), Decided(), {"out": OutputValue(_number(0))}),
    )
    summary = PathSummary(paths, (), (one,))
    assert summary.run({X: 3}).outputs == {"out": 9}
    assert summary.run({X: 2}).path.name == "small"
