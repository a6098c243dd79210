"""Applications of SMT-LIB's operators, and of a script's definitions.

`plain` and `rounded` apply operators by their table row. `NAMED` has the operators that take more than terms, or whose
meaning is more than their row; `INDEXED` has those with numbers: `((_ extract 7 0) x)`, `((_ to_fp 8 24) RNE x)`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Final, final

from msgspec import Struct

from soid.errors import SmtLibError
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.operators import CONST, IllSorted
from soid.formula.passes import substitute
from soid.formula.smtlib.arrays import BYTE, Array
from soid.formula.smtlib.derived_operators import PLAIN, ROUNDED, bit_width, rotate_left
from soid.formula.smtlib.elaborated_values import Macro, Unguarded, Value, describe
from soid.formula.smtlib.sexpr import Parenthesis
from soid.formula.smtlib.sort_reader import exact
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BitVec, Bool, Float
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.formula.smtlib.elaborator import Elaborator

EXPANSION: Final = 2_000_000  # nodes, over all uses of a script's definitions with parameters
_MOST_DISTINCT: Final = 2_000  # arguments; each pair becomes a condition


@final
class Application(Struct, frozen=True):
    """One application, with its arguments read."""

    e: Elaborator
    name: str
    values: list[Value]  # of the arguments
    group: Parenthesis  # around operator and arguments
    numbers: tuple[int, ...] = ()  # in the operator's head

    def error(self, cause: str, remedy: str = "") -> SmtLibError:
        return self.e.source.error(self.group.at, cause, remedy)

    def arity(self, wanted: int) -> None:
        if len(self.values) != wanted:
            arguments = "1 argument" if wanted == 1 else f"{wanted} arguments"
            raise self.error(f"{self.name} takes {arguments}, not {len(self.values)}")

    def at(self, place: int) -> int:
        """Where an argument stands."""
        return self.group.items[place + 1].at

    def term(self, place: int) -> Term:
        return self.e.settled(self.values[place], self.at(place))

    def terms(self, first: int = 0) -> list[Term]:
        """The arguments, from the first one on, or from another."""
        return [self.term(place) for place in range(first, len(self.values))]

    def rounding(self) -> Rounding:
        mode = self.values[0]
        if not isinstance(mode, Rounding):
            raise self.e.source.error(self.at(0), f"{self.name} takes a rounding mode first, not {describe(mode)}")
        return mode

    def bounded(self, width: int) -> int:
        """A bit-vector's width, checked against the limit."""
        return self.e.sorts.bounded(width, self.group.at)

    def count(self, wanted: int) -> None:
        """Check how many numbers there are."""
        if len(self.numbers) != wanted:
            raise self.error(f"{self.name} has {wanted} numbers, not {len(self.numbers)}")

    def only(self, count: int = 1) -> Term:
        """The only argument of an operator with `count` numbers."""
        self.count(count)
        self.arity(1)
        return self.term(0)


def plain(call: Application) -> Term:
    """An operator without parameters: one of the table, or one built from several of the table."""
    name, lowering = call.name, PLAIN[call.name]
    if lowering.many == "exactly" and name not in ("and", "or"):
        call.arity(lowering.arity)
    elif len(call.values) < lowering.arity:
        raise call.error(f"{name} takes at least {lowering.arity} arguments, not {len(call.values)}")
    terms = call.terms()
    if name == "distinct" and len(terms) > _MOST_DISTINCT:
        raise call.error(f"distinct of more than {_MOST_DISTINCT} arguments")
    if name == "concat":
        call.bounded(sum(t.sort.width for t in terms if not isinstance(t.sort, Bool)))
    elif name in ("bvumulo", "bvsmulo") and isinstance(terms[0].sort, BitVec):
        call.bounded(2 * terms[0].sort.width)
    return lowering(terms)


def rounded(call: Application) -> Term:
    """Float arithmetic, which takes a rounding mode first."""
    op = ROUNDED[call.name]
    assert op.arity is not None
    call.arity(op.arity + 1)
    _check_mode(call, call.name, call.rounding())
    return build.apply(op, tuple(call.terms(1)))


def _check_mode(call: Application, name: str, mode: Rounding, is_exact: bool = False) -> None:
    """Operators round to nearest, ties to even. An exact conversion may have any mode."""
    if mode is not Rounding.RNE and not is_exact:
        raise call.error(
            f"{name} with the rounding mode {mode.name} is not read here",
            "Float arithmetic rounds to nearest, ties to even (RNE), as programs do.",
        )


def expand(call: Application, macro: Macro) -> Term:
    """The body of a definition with the arguments in place of the parameters."""
    call.arity(len(macro.parameters))
    args = call.terms()
    for parameter, arg in zip(macro.parameters, args, strict=True):
        if parameter.sort != arg.sort:
            raise IllSorted(call.name)
    if macro.table is not None:
        return build.lookup(macro.table, args[0])
    call.e.budget -= macro.size
    if call.e.budget < 0:
        raise call.error(f"written out, {call.name} and the other definitions are too large")
    replaced = substitute([macro.body, *macro.obligations], dict(zip(macro.parameters, args, strict=True)))
    call.e.oblige(replaced[1:])
    return replaced[0]


# --- named operators ------------------------------------------------------------------------------------------------


def _ite(call: Application) -> Term:
    call.arity(3)
    condition, then, otherwise = call.values
    if isinstance(then, Unguarded) and then.fits is condition and _is_zero(otherwise, then.term):
        return then.term  # the guard that `script_writer` writes
    return build.ite(*call.terms())


def _is_zero(value: Value, like: Term) -> bool:
    return isinstance(value, Term) and value.op is CONST and value.sort == like.sort and value.value == 0


def _array_and_index(call: Application) -> tuple[Array, Term]:
    array = call.values[0]
    if not isinstance(array, Array):
        raise call.error(f"{call.name} takes an array first, not {describe(array)}")
    index = call.term(1)
    if index.sort != array.index:
        raise call.e.source.error(
            call.at(1), f"{array.title} is indexed by {array.index.smtlib}, not by {index.sort.smtlib}"
        )
    return array, index


def _select(call: Application) -> Term:
    call.arity(2)
    array, index = _array_and_index(call)
    return call.e.select(array, index, call.group)


def _store(call: Application) -> Array:
    call.arity(3)
    array, index = _array_and_index(call)
    byte = call.term(2)
    if byte.sort != BYTE:
        raise call.e.source.error(call.at(2), f"{array.title} holds bytes, not {byte.sort.smtlib}")
    if index.op is not CONST:
        raise call.e.source.error(
            call.at(1),
            f"a store to {array.title} at an index that is not constant",
            "Let the symbolic executor resolve the index (one path for each value).",
        )
    return array.store(index.value, byte)


def _fp(call: Application) -> Term:
    """(fp sign exponent fraction); the parts need not be constants."""
    call.arity(3)
    sign, exponent, fraction = call.terms()
    if sign.sort != BitVec(1) or not isinstance(exponent.sort, BitVec) or not isinstance(fraction.sort, BitVec):
        raise IllSorted("fp")
    target = call.e.sorts.float((exponent.sort.width, fraction.sort.width + 1), call.group.at)
    return build.fp_from_bits(target, build.concat(build.concat(sign, exponent), fraction))


def _round(call: Application) -> Term:
    call.arity(2)
    return build.fp_round(call.rounding(), call.term(1))


def _reals(call: Application) -> list[Fraction]:
    numbers = [value for value in call.values if isinstance(value, Fraction)]
    if len(numbers) < len(call.values) or not numbers:
        raise call.error(
            f"{call.name} is read for constant numbers only",
            "Bit-vectors have bvsub, bvneg and bvsdiv; floats have fp.sub, fp.neg and fp.div.",
        )
    return numbers


def _minus(call: Application) -> Fraction:
    numbers = _reals(call)
    return call.e.real(numbers[0] - sum(numbers[1:]) if len(numbers) > 1 else -numbers[0], call.group.at)


def _divide(call: Application) -> Fraction:
    call.arity(2)
    above, below = _reals(call)
    if not below:
        raise call.error("a division of constants by zero")
    return call.e.real(above / below, call.group.at)


NAMED: Final[dict[str, Callable[[Application], Value]]] = {
    "ite": _ite,
    "select": _select,
    "store": _store,
    "fp": _fp,
    "fp.roundToIntegral": _round,
    "-": _minus,
    "/": _divide,
}


# --- operators and constants with numbers -----------------------------------------------------------------------------


def constant(call: Application) -> Term:
    """(_ bv7 8), (_ NaN 8 24), (_ +oo 8 24) ..."""
    name, numbers = call.name, call.numbers
    if name.startswith("bv") and name[2:].isdecimal() and name.isascii() and len(numbers) == 1:
        width, value = numbers[0], int(exact(name[2:]))
        if width < 1 or value >> call.bounded(width):
            raise call.error(f"{name[2:40]} does not fit in {width} bits")
        return build.const(BitVec(width), value)
    bits = _FLOATS.get(name)
    if bits is None:
        raise call.error(f"(_ {name[:40]} ...) is no constant of the fragment read here")
    target = call.e.sorts.float(numbers, call.group.at)
    return build.const(target, bits(target))


_FLOATS: Final[dict[str, Callable[[Float], int]]] = {
    "+oo": lambda f: f.infinity,
    "-oo": lambda f: f.infinity | f.sign_bit,
    "+zero": lambda f: 0,
    "-zero": lambda f: f.sign_bit,
    "NaN": lambda f: f.nan,
}


def _extract(call: Application) -> Term:
    a = call.only(2)
    high, low = call.numbers
    if not low <= high < bit_width(a):
        raise call.error(f"bits {high} to {low} of a bit-vector of {bit_width(a)} bits")
    return build.extract(a, high, low)


def _extend(call: Application) -> Term:
    a, by = call.only(), call.numbers[0]
    call.bounded(bit_width(a) + by)
    return (build.zero_extend if call.name == "zero_extend" else build.sign_extend)(a, by)


def _repeat(call: Application) -> Term:
    a, times = call.only(), call.numbers[0]
    call.bounded(bit_width(a) * times)
    if times < 1:
        raise call.error("repeat takes a number of at least 1")
    return reduce(build.concat, [a] * times)


def _to_fp(call: Application) -> Term:
    """From bits (one argument), or from a float, a signed integer or a constant number (after a rounding mode)."""
    target = call.e.sorts.float(call.numbers, call.group.at)
    if len(call.values) == 1:
        return build.fp_from_bits(target, call.term(0))
    call.arity(2)
    mode = call.rounding()
    if isinstance(call.values[1], Fraction):
        return build.const(target, sf.from_fraction(target, call.values[1], mode))
    a = call.term(1)
    if isinstance(a.sort, Float):
        wider = a.sort.exponent <= target.exponent and a.sort.significand <= target.significand
        _check_mode(call, "to_fp", mode, wider)
        return build.fp_to_fp(target, a)
    _check_mode(call, "to_fp", mode, bit_width(a) - 1 <= min(target.significand, target.bias))
    return build.fp_from_signed(target, a)


def _to_fp_unsigned(call: Application) -> Term:
    target = call.e.sorts.float(call.numbers, call.group.at)
    call.arity(2)
    mode, a = call.rounding(), call.term(1)
    _check_mode(call, "to_fp", mode, bit_width(a) <= min(target.significand, target.bias))
    return build.fp_from_unsigned(target, a)


def _to_integer(call: Application) -> Unguarded:
    call.count(1)
    call.arity(2)
    mode, a, width = call.rounding(), call.term(1), call.bounded(call.numbers[0])
    if not isinstance(a.sort, Float):
        raise call.error(f"{call.name} takes a float, not {describe(a)}")
    if width < 1:
        raise call.error(f"{call.name} makes at least one bit")
    signed = call.name == "fp.to_sbv"
    convert = build.fp_to_signed if signed else build.fp_to_unsigned
    return Unguarded(convert(mode, width, a), build.fits_integer(mode, width, a, signed=signed))


INDEXED: Final[dict[str, Callable[[Application], Value]]] = {
    "extract": _extract,
    "zero_extend": _extend,
    "sign_extend": _extend,
    "rotate_left": lambda call: rotate_left(call.only(), call.numbers[0]),
    "rotate_right": lambda call: rotate_left(call.only(), -call.numbers[0]),
    "repeat": _repeat,
    "to_fp": _to_fp,
    "to_fp_unsigned": _to_fp_unsigned,
    "fp.to_sbv": _to_integer,
    "fp.to_ubv": _to_integer,
}
