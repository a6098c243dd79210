"""How long bitwuzla takes to turn terms into clauses, roughly: during that it listens to nobody.

Orders of magnitude are all that is meant, from measurements with chains of twenty operations each; 300 divisions of
float64 took 27 s under a limit of half a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from soid.formula import operators as ops
from soid.formula.sorts import BitVec, Bool, Float, Sort
from soid.formula.term import Term, postorder


def _digits(sort: Sort) -> int:
    """The width of the numbers that a circuit for the sort works with, at most."""
    match sort:
        case Bool():
            return 1
        case BitVec(width):
            return width
        case Float(_, significand):
            return significand


def _linear(milliseconds: float) -> Callable[[Sort], float]:
    return lambda sort: milliseconds * _digits(sort) / 64


def _quadratic(milliseconds: float) -> Callable[[Sort], float]:
    return lambda sort: milliseconds * (_digits(sort) / 64) ** 2


def _remainder(sort: Sort) -> float:
    """One subtraction for each power of two between the operands."""
    assert isinstance(sort, Float)
    return (1 << sort.exponent) * sort.significand / 64


#: Milliseconds, given the sort of the first argument.
_COSTS: Final[dict[str, Callable[[Sort], float]]] = {
    **dict.fromkeys(("bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem"), _quadratic(30)),
    **dict.fromkeys(("bvshl", "bvlshr", "bvashr"), _linear(0.5)),
    **dict.fromkeys(("fp.mul", "fp.div", "fp.fma", "fp.sqrt"), _quadratic(40)),
    **dict.fromkeys(("fp.add", "fp.sub"), _linear(8)),
    **dict.fromkeys(("fp.roundToIntegral", "fp.to_fp", "fp.from_sbv", "fp.from_ubv"), _linear(5)),
    **dict.fromkeys(("fp.to_sbv", "fp.to_ubv"), _linear(10)),
    "fp.rem": _remainder,
}
_OTHER: Final = _linear(0.2)


def milliseconds(terms: Iterable[Term]) -> float:
    """The estimate, shared parts once."""
    total = 0.0
    for term in postorder(terms):
        if term.args:
            rows = len(term.params[0].rows) if term.op.name == "lookup" else 1
            total += rows * _COSTS.get(term.op.name, _OTHER)(term.args[0].sort)
    return total


#: operations on floats that are slow to search through where none of their arguments is a constant
_ENTANGLING: Final = (ops.FP_MUL, ops.FP_DIV, ops.FP_SQRT, ops.FP_FMA, ops.FP_REM)


def entangles(terms: Iterable[Term]) -> bool:
    """Whether floats that vary are multiplied or divided by each other, or rooted: boxes often settle that sooner."""
    return any(term.op in _ENTANGLING and not any(arg.is_const for arg in term.args) for term in postorder(terms))
