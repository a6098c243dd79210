from __future__ import annotations

from soid.formula import build as b
from soid.formula.sorts import FLOAT32, BitVec
from soid.solver.model_cache import ModelCache
from soid.solver.protocol import Sat, Unsat
from tests.unit.solver.fake import Fake

BYTE = BitVec(8)
X, Y, F = b.var("x", BYTE), b.var("y", BYTE), b.var("f", FLOAT32)


def test_a_model_that_still_holds_is_used_again() -> None:
    fake = Fake(Sat({X: 3}), Unsat())
    reuse = ModelCache(fake)
    assert reuse.check([b.bvult(X, b.const(BYTE, 9))]) == Sat({X: 3})
    assert reuse.check([b.bvult(X, b.const(BYTE, 9)), b.bvult(X, b.const(BYTE, 5))]) == Sat({X: 3})
    assert len(fake.asked) == 1
    assert isinstance(reuse.check([b.bvult(X, b.const(BYTE, 2))]), Unsat)


def test_new_variables_are_zero_and_old_ones_left_out() -> None:
    reuse = ModelCache(Fake(Sat({X: 3, F: FLOAT32.nan}), Unsat()))
    reuse.check([b.eq(X, X), b.fp_is_nan(F), b.bvult(b.const(BYTE, 2), X)])
    assert reuse.check([b.bvult(Y, X)]) == Sat({X: 3, Y: 0})


def test_only_the_latest_models_are_tried() -> None:
    fake = Fake(*(Sat({X: value}) for value in (1, 2, 3)), Unsat())
    reuse = ModelCache(fake, models=2)
    for value in (1, 2, 3):
        assert reuse.check([b.eq(X, b.const(BYTE, value))]) == Sat({X: value})
    assert reuse.check([b.eq(X, b.const(BYTE, 2))]) == Sat({X: 2})
    assert isinstance(reuse.check([b.eq(X, b.const(BYTE, 1))]), Unsat)
