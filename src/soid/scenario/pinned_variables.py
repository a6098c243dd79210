"""The variables that a condition equates with a constant: the program can run on that value, as on a logged one.

>>> from soid.formula.build import and_, bvult, const, eq, not_, var
>>> from soid.formula.sorts import BOOL, BitVec
>>> x, p = var("x", BitVec(8)), var("p", BOOL)
>>> pinned(and_(eq(x, const(BitVec(8), 3)), not_(p), bvult(x, var("y", BitVec(8)))))
{x: 3, p: 0}
"""

from __future__ import annotations

from collections.abc import Iterator

from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.passes import flatten_and
from soid.formula.sorts import Float
from soid.formula.term import Term


def pinned(condition: Term) -> dict[Term, int]:
    """The bits of each symbol that a conjunct equates with a constant. The first such conjunct counts."""
    found: dict[Term, int] = {}
    for conjunct in flatten_and([condition]):
        for symbol, bits in pins(conjunct):
            found.setdefault(symbol, bits)
    return found


def pins(term: Term) -> Iterator[tuple[Term, int]]:
    """The symbol that a conjunct equates with a constant, and the constant's bits."""
    if term.is_var:
        yield term, 1
    elif term.op is ops.NOT and term.args[0].is_var:
        yield term.args[0], 0
    elif term.op in (ops.EQ, ops.FP_EQ):
        one, other = term.args
        for side, constant in ((one, other), (other, one)):
            if not constant.is_const:
                continue
            if term.op is ops.EQ and side.is_var:
                yield side, int(constant.value)
            elif term.op is ops.FP_EQ and side.op is ops.FP_FROM_BITS and side.args[0].is_var:
                assert isinstance(constant.sort, Float)
                if not sf.is_zero(constant.sort, constant.value):  # 0.0 equals -0.0: two values
                    yield side.args[0], constant.value
