from __future__ import annotations

import pytest

from soid.formula import build as b
from soid.formula.constant_table import ConstantTable
from soid.formula.sorts import BOOL, FLOAT32, FLOAT64, BitVec, Float
from soid.formula.term import Term
from soid.solver.escalation import EscalatingSolver, entangles, milliseconds
from soid.solver.protocol import UNLIMITED, Budget, Reason, Sat, Unknown, Unsat
from tests.clock import set_up
from tests.unit.solver.fake import Fake

P = b.var("p", BOOL)


def divisions(count: int, f: Float = FLOAT64) -> Term:
    x, y = b.var("x", f), b.var("y", f)
    for _ in range(count):
        x = b.fp_div(x, y)
    return b.fp_lt(x, y)


def test_what_is_easy_stops_there() -> None:
    easy, hard = Fake(Unsat()), Fake(Sat({}))
    assert EscalatingSolver(easy, hard, 0.5).check([P], budget=Budget(10)) == Unsat()
    assert easy.budgets == [Budget(0.5)]
    assert not hard.asked


def test_what_is_not_goes_on_with_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    set_up(monkeypatch, tick=2.0)
    easy, hard = Fake(Unknown(Reason.TIME)), Fake(Unsat())
    assert EscalatingSolver(easy, hard, 0.5).check([P], budget=Budget(10)) == Unsat()
    assert hard.budgets == [Budget(6.0)]  # two looks at the clock later


@pytest.mark.parametrize("reason", [Reason.UNSUPPORTED, Reason.SOLVER, Reason.MEMORY])
def test_so_does_what_the_first_cannot_do(reason: Reason) -> None:
    assert EscalatingSolver(Fake(Unknown(reason)), Fake(Unsat()), 0.5).check([P]) == Unsat()


def test_a_short_budget_is_not_exceeded() -> None:
    easy = Fake(Unsat())
    EscalatingSolver(easy, Fake(Unsat()), 0.5).check([P], budget=Budget(0.1))
    assert easy.budgets == [Budget(0.1)]


def test_cancelled_is_cancelled() -> None:
    hard = Fake(Unsat())
    assert isinstance(EscalatingSolver(Fake(Unknown(Reason.CANCELLED)), hard, 0.5).check([P]), Unknown)
    assert not hard.asked


def test_what_would_keep_the_first_busy_too_long_goes_to_the_second_at_once() -> None:
    easy, hard = Fake(Unsat()), Fake(Unsat())
    EscalatingSolver(easy, hard, 0.5).check([divisions(300)])
    assert not easy.asked
    assert hard.budgets == [UNLIMITED]


def test_weights_grow_with_what_there_is_to_do() -> None:
    assert (
        milliseconds([divisions(20)]) > milliseconds([divisions(20, FLOAT32)]) > milliseconds([divisions(2, FLOAT32)])
    )
    x, y = b.var("x", FLOAT64), b.var("y", FLOAT64)
    assert milliseconds([b.fp_eq(b.fp_rem(x, y), x)]) > 1000
    assert milliseconds([b.fp_lt(x, y), P]) < 1
    index = b.var("index", BitVec(16))
    small, large = (ConstantTable.of(FLOAT64, range(1, rows)) for rows in (3, 3000))
    assert milliseconds([b.fp_is_nan(b.lookup(large, index))]) > 100 * milliseconds(
        [b.fp_is_nan(b.lookup(small, index))]
    )


def test_what_is_known_to_be_for_the_second_goes_there_at_once() -> None:
    easy = Fake(Unsat())
    assert EscalatingSolver(easy, Fake(Sat({})), 0.5, lambda _: True).check([P]) == Sat({})
    assert not easy.asked


def test_products_of_what_varies_are_slow_to_search_through() -> None:
    bits, other = (b.fp_from_bits(FLOAT32, b.var(name, BitVec(32))) for name in "xy")
    two = b.const(FLOAT32, 0x40000000)
    assert not entangles([b.fp_lt(b.fp_mul(bits, two), other), b.fp_lt(b.fp_sub(bits, other), two)])
    for term in (b.fp_mul(bits, bits), b.fp_div(bits, other), b.fp_sqrt(b.fp_add(bits, other))):
        assert entangles([b.fp_lt(term, two)])
