"""Operators and constants of SMT-LIB with numbers: `((_ extract 7 0) x)`, `((_ to_fp 8 24) RNE x)`, `(_ bv7 8)`.

Each function gets the elaborator, the numbers, the values of the arguments, and the parenthesis around them.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Final

from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.smtlib import derived_operators
from soid.formula.smtlib.elaborated_values import Unguarded, Value, describe
from soid.formula.smtlib.sexpr import Parenthesis
from soid.formula.smtlib.sort_reader import exact
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.formula.smtlib.elaborator import Elaborator

Numbers = tuple[int, ...]
Indexed = Callable[["Elaborator", Numbers, list[Value], Parenthesis], Value]


def constant(e: Elaborator, name: str, numbers: Numbers, group: Parenthesis) -> Term:
    """(_ bv7 8), (_ NaN 8 24), (_ +oo 8 24) ..."""
    if name.startswith("bv") and name[2:].isdecimal() and name.isascii() and len(numbers) == 1:
        width, value = numbers[0], int(exact(name[2:]))
        if width < 1 or value >> e.sorts.bounded(width, group.at):
            raise e.source.error(group.at, f"{name[2:40]} does not fit in {width} bits")
        return build.const(BitVec(width), value)
    bits = _FLOATS.get(name)
    if bits is None:
        raise e.source.error(group.at, f"(_ {name[:40]} ...) is no constant of the fragment read here")
    target = e.sorts.float(numbers, group.at)
    return build.const(target, bits(target))


_FLOATS: Final[dict[str, Callable[[Float], int]]] = {
    "+oo": lambda f: f.infinity,
    "-oo": lambda f: f.infinity | f.sign_bit,
    "+zero": lambda f: 0,
    "-zero": lambda f: f.sign_bit,
    "NaN": lambda f: f.nan,
}


def _one(e: Elaborator, name: str, numbers: Numbers, count: int, values: list[Value], group: Parenthesis) -> Term:
    """The only argument of an operator with `count` numbers."""
    _count(e, name, numbers, count, group)
    e.arity(name, values, 1, group)
    return e.settled(values[0], group.items[1].at)


def _count(e: Elaborator, name: str, numbers: Numbers, count: int, group: Parenthesis) -> None:
    if len(numbers) != count:
        raise e.source.error(group.at, f"{name} has {count} numbers, not {len(numbers)}")


def _extract(e: Elaborator, numbers: Numbers, values: list[Value], group: Parenthesis) -> Term:
    a = _one(e, "extract", numbers, 2, values, group)
    high, low = numbers
    if not low <= high < derived_operators.bit_width(a):
        raise e.source.error(group.at, f"bits {high} to {low} of a bit-vector of {derived_operators.bit_width(a)} bits")
    return build.extract(a, high, low)


def _extension(name: str, extend: Callable[[Term, int], Term]) -> Indexed:
    def call(e: Elaborator, numbers: Numbers, values: list[Value], group: Parenthesis) -> Term:
        a = _one(e, name, numbers, 1, values, group)
        e.sorts.bounded(derived_operators.bit_width(a) + numbers[0], group.at)
        return extend(a, numbers[0])

    return call


def _rotation(name: str, rotate: Callable[[Term, int], Term]) -> Indexed:
    def call(e: Elaborator, numbers: Numbers, values: list[Value], group: Parenthesis) -> Term:
        return rotate(_one(e, name, numbers, 1, values, group), numbers[0])

    return call


def _repeat(e: Elaborator, numbers: Numbers, values: list[Value], group: Parenthesis) -> Term:
    a = _one(e, "repeat", numbers, 1, values, group)
    e.sorts.bounded(derived_operators.bit_width(a) * numbers[0], group.at)
    if numbers[0] < 1:
        raise e.source.error(group.at, "repeat takes a number of at least 1")
    return reduce(build.concat, [a] * numbers[0])


# --- floats ---------------------------------------------------------------------------------------------------------


def _to_fp(e: Elaborator, numbers: Numbers, values: list[Value], group: Parenthesis) -> Term:
    """From bits (one argument), or from a float, a signed integer or a constant number (after a rounding mode)."""
    target = e.sorts.float(numbers, group.at)
    if len(values) == 1:
        return build.fp_from_bits(target, e.settled(values[0], group.items[1].at))
    e.arity("to_fp", values, 2, group)
    mode = e.rounding("to_fp", values[0], group)
    if isinstance(values[1], Fraction):
        return build.const(target, sf.from_fraction(target, values[1], mode))
    (a,) = e.tail(values, group)
    if isinstance(a.sort, Float):
        wider = a.sort.exponent <= target.exponent and a.sort.significand <= target.significand
        _check_mode(e, mode, wider, group)
        return build.fp_to_fp(target, a)
    _check_mode(e, mode, derived_operators.bit_width(a) - 1 <= min(target.significand, target.bias), group)
    return build.fp_from_signed(target, a)


def _to_fp_unsigned(e: Elaborator, numbers: Numbers, values: list[Value], group: Parenthesis) -> Term:
    target = e.sorts.float(numbers, group.at)
    e.arity("to_fp_unsigned", values, 2, group)
    mode = e.rounding("to_fp_unsigned", values[0], group)
    (a,) = e.tail(values, group)
    _check_mode(e, mode, derived_operators.bit_width(a) <= min(target.significand, target.bias), group)
    return build.fp_from_unsigned(target, a)


def _check_mode(e: Elaborator, mode: Rounding, is_exact: bool, group: Parenthesis) -> None:
    """Conversions round to nearest, ties to even. An exact conversion may have any mode."""
    if mode is not Rounding.RNE and not is_exact:
        raise e.source.error(
            group.at,
            f"to_fp with the rounding mode {mode.name} is not read here",
            "Float arithmetic rounds to nearest, ties to even (RNE), as programs do.",
        )


def _to_integer(name: str, signed: bool) -> Indexed:
    convert = build.fp_to_signed if signed else build.fp_to_unsigned

    def call(e: Elaborator, numbers: Numbers, values: list[Value], group: Parenthesis) -> Value:
        _count(e, name, numbers, 1, group)
        e.arity(name, values, 2, group)
        mode = e.rounding(name, values[0], group)
        (a,) = e.tail(values, group)
        width = e.sorts.bounded(numbers[0], group.at)
        if not isinstance(a.sort, Float):
            raise e.source.error(group.at, f"{name} takes a float, not {describe(a)}")
        if width < 1:
            raise e.source.error(group.at, f"{name} makes at least one bit")
        return Unguarded(convert(mode, width, a), build.fits_integer(mode, width, a, signed=signed))

    return call


INDEXED: Final[dict[str, Indexed]] = {
    "extract": _extract,
    "zero_extend": _extension("zero_extend", build.zero_extend),
    "sign_extend": _extension("sign_extend", build.sign_extend),
    "rotate_left": _rotation("rotate_left", derived_operators.rotate_left),
    "rotate_right": _rotation("rotate_right", lambda a, by: derived_operators.rotate_left(a, -by)),
    "repeat": _repeat,
    "to_fp": _to_fp,
    "to_fp_unsigned": _to_fp_unsigned,
    "fp.to_sbv": _to_integer("fp.to_sbv", signed=True),
    "fp.to_ubv": _to_integer("fp.to_ubv", signed=False),
}
