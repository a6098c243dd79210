"""Applications of operators without numbers, and of a script's definitions.

`plain` and `rounded` apply operators by their table row. `NAMED` has the operators that take more than terms, or whose
meaning is more than their row. Each function gets the elaborator, the values of the arguments, and the parenthesis
around them.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from soid.formula import build
from soid.formula.operators import CONST, IllSorted
from soid.formula.passes import substitute
from soid.formula.smtlib.arrays import BYTE, Array
from soid.formula.smtlib.derived_operators import PLAIN, ROUNDED
from soid.formula.smtlib.elaborated_values import Macro, Unguarded, Value, describe
from soid.formula.smtlib.sexpr import Parenthesis
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BitVec, Bool
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.formula.smtlib.elaborator import Elaborator

Call = Callable[["Elaborator", list[Value], Parenthesis], Value]

EXPANSION: Final = 2_000_000  # nodes, over all uses of a script's definitions with parameters
_MOST_DISTINCT: Final = 2_000  # arguments; each pair becomes a condition


def plain(e: Elaborator, name: str, values: list[Value], group: Parenthesis) -> Term:
    """An operator without parameters: one of the table, or one built from several of the table."""
    lowering = PLAIN[name]
    if lowering.many == "exactly" and name not in ("and", "or"):
        e.arity(name, values, lowering.arity, group)
    elif len(values) < lowering.arity:
        raise e.source.error(group.at, f"{name} takes at least {lowering.arity} arguments, not {len(values)}")
    terms = e.terms(values, group)
    if name == "distinct" and len(terms) > _MOST_DISTINCT:
        raise e.source.error(group.at, f"distinct of more than {_MOST_DISTINCT} arguments")
    if name == "concat":
        e.sorts.bounded(sum(t.sort.width for t in terms if not isinstance(t.sort, Bool)), group.at)
    elif name in ("bvumulo", "bvsmulo") and isinstance(terms[0].sort, BitVec):
        e.sorts.bounded(2 * terms[0].sort.width, group.at)
    return lowering(terms)


def rounded(e: Elaborator, name: str, values: list[Value], group: Parenthesis) -> Term:
    """Float arithmetic, which takes a rounding mode first."""
    op = ROUNDED[name]
    assert op.arity is not None
    e.arity(name, values, op.arity + 1, group)
    mode = e.rounding(name, values[0], group)
    if mode is not Rounding.RNE:
        raise e.source.error(
            group.at,
            f"{name} with the rounding mode {mode.name} is not read here",
            "Float arithmetic rounds to nearest, ties to even (RNE), as programs do.",
        )
    return build.apply(op, tuple(e.tail(values, group)))


def expand(e: Elaborator, name: str, macro: Macro, values: list[Value], group: Parenthesis) -> Term:
    """The body of a definition with the arguments in place of the parameters."""
    e.arity(name, values, len(macro.parameters), group)
    args = e.terms(values, group)
    for parameter, arg in zip(macro.parameters, args, strict=True):
        if parameter.sort != arg.sort:
            raise IllSorted(name)
    if macro.table is not None:
        return build.lookup(macro.table, args[0])
    e.budget -= macro.size
    if e.budget < 0:
        raise e.source.error(group.at, f"written out, {name} and the other definitions are too large")
    replaced = substitute([macro.body, *macro.obligations], dict(zip(macro.parameters, args, strict=True)))
    e.oblige(replaced[1:])
    return replaced[0]


def _ite(e: Elaborator, values: list[Value], group: Parenthesis) -> Term:
    e.arity("ite", values, 3, group)
    condition, then, otherwise = values
    if isinstance(then, Unguarded) and then.fits is condition and _is_zero(otherwise, then.term):
        return then.term  # the guard that `script_writer` writes
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
    """(fp sign exponent fraction); the parts need not be constants."""
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
