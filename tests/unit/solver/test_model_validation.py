from __future__ import annotations

import pytest

from soid.errors import ModelMismatchError
from soid.formula import build as b
from soid.formula.sorts import BitVec
from soid.solver.model_validation import ValidatingSolver
from soid.solver.protocol import Reason, Sat, Unknown, Unsat
from tests.unit.solver.fake import Fake

X = b.var("x", BitVec(8))
SMALL = b.bvult(X, b.const(BitVec(8), 9))


def test_a_true_model_passes() -> None:
    assert ValidatingSolver(Fake(Sat({X: 3}))).check([SMALL]) == Sat({X: 3})


def test_so_does_everything_without_a_model() -> None:
    assert ValidatingSolver(Fake(Unsat())).check([SMALL]) == Unsat()
    assert ValidatingSolver(Fake(Unknown(Reason.TIME))).check([SMALL]) == Unknown(Reason.TIME)


def test_a_false_model_is_no_answer() -> None:
    with pytest.raises(ModelMismatchError, match="wobbly is wrong: condition 2 of 2"):
        ValidatingSolver(Fake(Sat({X: 9}), name="wobbly")).check([b.not_(b.eq(X, b.const(BitVec(8), 1))), SMALL])


def test_nor_is_one_with_a_gap() -> None:
    with pytest.raises(ModelMismatchError, match="no value for x"):
        ValidatingSolver(Fake(Sat({}))).check([SMALL])
