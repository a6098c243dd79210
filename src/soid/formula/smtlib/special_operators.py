"""Operators of SMT-LIB that take more than terms, or that mean more than their table row says.

Each function gets the elaborator, the values of the arguments and the group that they stand in.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from soid.formula import build
from soid.formula.operators import CONST, IllSorted
from soid.formula.smtlib.arrays import BYTE, Array
from soid.formula.smtlib.elaborated_values import Unguarded, Value, describe
from soid.formula.smtlib.sexpr import Parenthesis
from soid.formula.sorts import BitVec
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.formula.smtlib.elaborator import Elaborator

Call = Callable[["Elaborator", list[Value], Parenthesis], Value]


def _ite(e: Elaborator, values: list[Value], group: Parenthesis) -> Term:
    e.arity("ite", values, 3, group)
    condition, then, otherwise = values
    if isinstance(then, Unguarded) and then.fits is condition and _is_zero(otherwise, then.term):
        return then.term  # the guard that the printer writes
    return build.ite(*e.terms(values, group))


def _is_zero(value: Value, like: Term) -> bool:
    return isinstance(value, Term) and value.op is CONST and value.sort == like.sort and value.value == 0


def _array_and_index(e: Elaborator, name: str, values: list[Value], group: Parenthesis) -> tuple[Array, Term]:
    array = values[0]
    if not isinstance(array, Array):
        raise e.source.error(group.at, f"{name} takes an array first, not {describe(array)}")
    index = e.settled(values[1], group.items[2].at)
    if index.sort != array.index:
        raise e.source.error(
            group.items[2].at, f"{array.title} is indexed by {array.index.smtlib}, not by {index.sort.smtlib}"
        )
    return array, index


def _select(e: Elaborator, values: list[Value], group: Parenthesis) -> Term:
    e.arity("select", values, 2, group)
    array, index = _array_and_index(e, "select", values, group)
    return e.select(array, index, group)


def _store(e: Elaborator, values: list[Value], group: Parenthesis) -> Array:
    e.arity("store", values, 3, group)
    array, index = _array_and_index(e, "store", values, group)
    byte = e.settled(values[2], group.items[3].at)
    if byte.sort != BYTE:
        raise e.source.error(group.items[3].at, f"{array.title} holds bytes, not {byte.sort.smtlib}")
    if index.op is not CONST:
        raise e.source.error(
            group.items[2].at,
            f"a store to {array.title} at an index that is not constant",
            "Let the symbolic executor resolve the index (one path for each value).",
        )
    return array.store(index.value, byte)


def _fp(e: Elaborator, values: list[Value], group: Parenthesis) -> Term:
    """(fp sign exponent fraction), of constants or not."""
    e.arity("fp", values, 3, group)
    sign, exponent, fraction = e.terms(values, group)
    if sign.sort != BitVec(1) or not isinstance(exponent.sort, BitVec) or not isinstance(fraction.sort, BitVec):
        raise IllSorted("fp")
    target = e.sorts.float((exponent.sort.width, fraction.sort.width + 1), group.at)
    return build.fp_from_bits(target, build.concat(build.concat(sign, exponent), fraction))


def _round(e: Elaborator, values: list[Value], group: Parenthesis) -> Term:
    e.arity("fp.roundToIntegral", values, 2, group)
    mode = e.rounding("fp.roundToIntegral", values[0], group)
    return build.fp_round(mode, *e.tail(values, group))


def _reals(e: Elaborator, name: str, values: list[Value], group: Parenthesis) -> list[Fraction]:
    numbers = [value for value in values if isinstance(value, Fraction)]
    if len(numbers) < len(values) or not numbers:
        raise e.source.error(
            group.at,
            f"{name} is read for constant numbers only",
            "Bit-vectors have bvsub, bvneg and bvsdiv; floats have fp.sub, fp.neg and fp.div.",
        )
    return numbers


def _minus(e: Elaborator, values: list[Value], group: Parenthesis) -> Fraction:
    numbers = _reals(e, "-", values, group)
    return e.real(numbers[0] - sum(numbers[1:]) if len(numbers) > 1 else -numbers[0], group.at)


def _divide(e: Elaborator, values: list[Value], group: Parenthesis) -> Fraction:
    e.arity("/", values, 2, group)
    above, below = _reals(e, "/", values, group)
    if not below:
        raise e.source.error(group.at, "a division of constants by zero")
    return e.real(above / below, group.at)


NAMED: Final[dict[str, Call]] = {
    "ite": _ite,
    "select": _select,
    "store": _store,
    "fp": _fp,
    "fp.roundToIntegral": _round,
    "-": _minus,
    "/": _divide,
}
