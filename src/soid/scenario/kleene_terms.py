"""Lowers expressions to terms in Kleene's three-valued logic.

On a path that fails or does not decide, the decisions have no value, and a formula about them is neither true nor
false. So a formula becomes a pair of terms, `Truth(true, false)`. A scope defines the meaning of names:

>>> from soid.formula.build import FALSE, TRUE, var
>>> from soid.formula.sorts import BitVec
>>> from soid.program.types import IntType
>>> class Inputs:
...     fails, decides = FALSE, TRUE
...     def read(self, name: str, primed: bool) -> Operand:
...         return Operand(IntType(8, signed=False), var(name, BitVec(8)))
...     fact = read
...     def enumerators(self, label: str) -> tuple[tuple[str, int], ...]:
...         return ()
>>> lower(ex.Compare(ex.Name("x"), ((Comparison.LT, ex.Literal("300")),)), Inputs())
Truth(true=True, false=False)
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Protocol, assert_never, final

from msgspec import Struct

from soid.errors import QueryError, SortMismatchError, UnknownVariableError
from soid.formula import build
from soid.formula.build import FALSE, TRUE
from soid.formula.sorts import BitVec
from soid.formula.term import Term
from soid.program import types
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType
from soid.scenario import expression as ex
from soid.scenario.comparison_terms import among, compare, enumerator, kind_of, no_text, same_bits, same_float
from soid.scenario.expression import (
    Comparison,
    Expression,
    TextSpan,
    check_depth,
    placed,
    pointing_at,
)
from soid.scenario.function_terms import call
from soid.scenario.number_terms import BITWISE, compare_numbers, complement, compute, exact, negative
from soid.scenario.operand_values import (
    Chars,
    Choice,
    Exact,
    Number,
    Ratio,
    Real,
    Truth,
    Value,
    Whole,
    Word,
    both,
    either,
    known,
    opposite,
    same,
)
from soid.scenario.whole_terms import whole


@final
class Operand(Struct, frozen=True):
    """The meaning of a name."""

    type: VariableType
    term: Term  # the bits, of the sort of Variable.symbol; for a float also a term of the Float sort
    defined: Term = TRUE  # where it has a value
    upper: Term | None = (
        None  # of a float that is not known exactly: it lies from `term` to this, wherever it is defined or not
    )
    cases: tuple[tuple[int, Truth], ...] = ()  # of a label: whether it is each of its values, wherever it is defined
    is_wide: bool = False  # of the cases: one may be false without another one being true


class ExpressionScope(Protocol):
    """The meaning of the names in an expression. An unknown name is an UnknownVariableError."""

    @property
    def fails(self) -> Term:
        """Where the program fails."""

    @property
    def decides(self) -> Term:
        """Where the program comes to a decision."""

    def read(self, name: str, primed: bool, /) -> Operand:
        """A variable; if primed, its value after the call."""

    def fact(self, name: str, primed: bool, /) -> Operand:
        """The factual value of a variable."""

    def enumerators(self, label: str, /) -> tuple[tuple[str, int], ...]:
        """The enumerations of the program that have a label, and its number in each."""


def lower(expression: Expression, scope: ExpressionScope) -> Truth:
    """Where the formula is true, and where it is false."""
    check_depth(expression)
    return _formula(expression, scope)


def _formula(expression: Expression, scope: ExpressionScope) -> Truth:
    with pointing_at(expression.span):
        return _truth(_value(expression, scope))


def _truth(value: Value) -> Truth:
    """A value used as a formula: a bool as it is, a whole number is true if it is not 0."""
    match value:
        case Truth():
            return value
        case Whole():
            return compare_numbers(Comparison.NE, value, whole(0))
        case Word(_, error):
            raise error
        case Choice(_, kind):
            some = kind.labels[0][0] if kind.labels else "0"
            raise SortMismatchError(f"a value of {kind} is neither true nor false", f"Compare it: == {some}.")
        case Exact() | Ratio() | Real():
            raise SortMismatchError("a number is neither true nor false", "Compare it: != 0.")
        case Chars(path):
            raise no_text(path)
        case _:
            assert_never(value)


def _value(node: Expression, scope: ExpressionScope) -> Value:
    with pointing_at(node.span):
        match node:
            case ex.Name():
                return _name(node, scope)
            case ex.FactOf(path, primed):
                return _typed(scope.fact(path, primed))
            case ex.Literal():
                return _literal(node)
            case ex.Label(text):
                return _label(text, node.span)
            case ex.Arithmetic():
                return compute(node.op, *arithmetic_operands(node, scope))
            case ex.Negate(operand):
                return negative(number_of(operand, scope))
            case ex.Complement(operand):
                return complement(number_of(operand, scope, bits=True))
            case ex.FunctionCall(function, operands):
                return call(function, [number_of(each, scope, bits=function.converts) for each in operands])
            case ex.Characters(elements, is_whole):
                return Chars(node.array.path, tuple(_element(each, scope) for each in elements), is_whole)
            case ex.Compare():
                return _chain(node, scope)
            case ex.Member(operand, items):
                value = _value(operand, scope)
                found = either([_item(value, item, scope) for item in items])
                return among(value, [_value(each, scope) for each in items if not isinstance(each, ex.Between)], found)
            case ex.Identical():
                return _identical(node, scope)
            case ex.Not(operand):
                return opposite(_formula(operand, scope))
            case ex.And(operands):
                return both([_formula(operand, scope) for operand in operands])
            case ex.Or(operands):
                return either([_formula(operand, scope) for operand in operands])
            case ex.Implies(left, right):
                return either([opposite(_formula(left, scope)), _formula(right, scope)])
            case ex.Iff(left, right):
                return same(_formula(left, scope), _formula(right, scope))
            case ex.SmtLib(_, names):
                from soid.scenario.smtlib_formula import lower_smtlib  # loaded on demand: few questions need a reader

                return lower_smtlib(node, [_given(name, scope) for name in names])
            case ex.Fails():
                return known(scope.fails)
            case ex.Decides():
                return known(scope.decides)
            case _:
                assert_never(node)


def _chain(node: ex.Compare, scope: ExpressionScope) -> Truth:
    left, place, links = _value(node.first, scope), node.first.span, []
    for op, operand in node.rest:
        right = _value(operand, scope)
        # A type error points at the literal, if the left side is one, else at the right side.
        with pointing_at(place if isinstance(left, Exact) else operand.span):
            links.append(compare(op, left, right))
        left, place = right, operand.span
    return both(links)


def _item(value: Value, item: Expression | ex.Between, scope: ExpressionScope) -> Truth:
    with pointing_at(item.span):
        if not isinstance(item, ex.Between):
            return compare(Comparison.EQ, value, _value(item, scope))
        low, high = _value(item.low, scope), _value(item.high, scope)
        if isinstance(low, Exact) and isinstance(high, Exact):
            if compare_numbers(Comparison.GT, low, high).true is TRUE:
                raise QueryError("this range is empty: it ends below its start", "Write the smaller number first.")
        return both([compare(Comparison.LE, low, value), compare(Comparison.LE, value, high)])


def _identical(node: ex.Identical, scope: ExpressionScope) -> Truth:
    value = _value(node.operand, scope)
    literal = node.value
    with pointing_at(literal.span):
        if isinstance(literal, ex.Literal) and literal.is_bits:
            return same_bits(value.certain if isinstance(value, Real) else value, literal.text)
        other = _value(literal, scope)
        if isinstance(literal, ex.Name) and not isinstance(other, Word):
            raise SortMismatchError("`is` takes a value, and this is a variable", "Compare variables with ==.")
        if isinstance(value, Real) and isinstance(other, Word) and _may_be_missing(node.operand, other.text, scope):
            return same_float(value.certain, Exact(None, "nan"))
        if isinstance(value, Real) and isinstance(other, Exact):
            return same_float(value.certain, other)
        return compare(Comparison.EQ, value, other)


def _may_be_missing(operand: Expression, word: str, scope: ExpressionScope) -> bool:
    """Whether a word says of a float that it is missing, and that can be."""
    if word != types.MISSING or not isinstance(operand, ex.Name | ex.FactOf):
        return False
    read = scope.read if isinstance(operand, ex.Name) else scope.fact
    return types.missing_value(read(operand.path, operand.primed).type) is not None


def _name(node: ex.Name, scope: ExpressionScope) -> Value:
    try:
        return _typed(scope.read(node.path, node.primed))
    except UnknownVariableError as error:
        if node.primed:
            raise
        if node.path.lower() in _FOREIGN:
            error = type(error)(error.cause, _FOREIGN[node.path.lower()])
        placed(error, node.span)
        # most labels come here, and a traceback would keep all that the question was answered with
        return Word(node.path, error.with_traceback(None), scope.enumerators(node.path))


#: words of other languages, and how to write them here
_FOREIGN: Final = {
    "nan": "Write it in small letters: is nan.",
    "inf": "Write it in small letters: is inf.",
    "infinity": "Write is inf, or is -inf.",
    "infinite": "Write is inf, or is -inf.",
    "null": "What a pointer points to is asked about, *p; a number is compared with 0.",
    "none": "A number is compared with 0; a learned model's value may be `missing`.",
    "yes": "Write true.",
    "no": "Write false.",
}


def _label(text: str, span: TextSpan | None) -> Word:
    remedy = "Compare a variable of an enumeration, or an array of characters, with it."
    if len(text) == 1:
        remedy = f"The number of a character is written '{text}'."
    error = SortMismatchError(
        f'"{text}" is a text, and there is no enumeration and no array of characters here', remedy
    )
    placed(error, span)
    return Word(text, error)


def _given(name: ex.Name | ex.FactOf, scope: ExpressionScope) -> tuple[Term, Term]:
    """A variable as SMT-LIB has it, and where it is defined."""
    operand = (scope.read if isinstance(name, ex.Name) else scope.fact)(name.path, name.primed)
    value = _typed(operand)
    return (operand.term, operand.defined) if isinstance(value, Truth) else _bare(value)


def _bare(value: Value) -> tuple[Term, Term]:
    value = value.certain if isinstance(value, Real) else value
    assert isinstance(value, Whole | Choice | Real)
    return value.term, value.defined


def _element(name: ex.Name | ex.FactOf, scope: ExpressionScope) -> Whole:
    value = _value(name, scope)
    assert isinstance(value, Whole), "characters are numbers"
    return value


def _typed(operand: Operand) -> Value:
    kind, term, defined = operand.type, operand.term, operand.defined
    match kind:
        case BoolType():
            return known(term, defined)
        case IntType():
            return Whole(term, kind.signed, kind.least, kind.greatest, defined)
        case FloatType(format):
            if isinstance(term.sort, BitVec):
                return Real(types.reading(kind, term), format, defined, term)
            if operand.upper is not None:
                return Real(term, format, upper=operand.upper)
            return Real(term, format, defined)
        case EnumType():
            return Choice(term, kind, defined, operand.cases, operand.is_wide)
        case _:
            assert_never(kind)


def _literal(node: ex.Literal) -> Value:
    if node.is_truth:
        return known(TRUE if node.text == "true" else FALSE)
    if node.is_bits:
        raise SortMismatchError(f"{node.text} is a bit pattern", f"Ask `is {node.text}`.")
    return Exact(exact(node.text) if node.code is None else Fraction(node.code), node.text)


def arithmetic_operands(node: ex.Arithmetic, scope: ExpressionScope) -> tuple[Number, Number]:
    """The two numbers that an operator computes with."""
    bits = node.op in BITWISE
    left, right = (_value(each, scope) for each in (node.left, node.right))
    with pointing_at(node.left.span):
        a = _as_number(left, right, bits=bits)
    with pointing_at(node.right.span):
        return a, _as_number(right, left, bits=bits)


def number_of(expression: Expression, scope: ExpressionScope, *, bits: bool = False) -> Number:
    """The number that an expression is; refused if it is none."""
    with pointing_at(expression.span):
        return _as_number(_value(expression, scope), bits=bits)


def _as_number(value: Value, beside: Value | None = None, *, bits: bool = False) -> Number:
    """A value to compute with. With `bits`, an enumeration and a bool count as the numbers that they are kept as."""
    match value:
        case Real():
            return value.certain
        case Exact() | Whole() | Ratio():
            return value
        case Word():
            return enumerator(value, beside)
        case Choice(term, kind, defined) if bits:
            held = IntType(kind.width, kind.signed)
            return Whole(term, kind.signed, held.least, held.greatest, defined)
        case Truth(true, false) if bits:
            flag = build.ite(true, build.const(BitVec(1), 1), build.const(BitVec(1), 0))
            return Whole(flag, False, 0, 1, build.or_(true, false))
        case Choice(_, kind):
            as_number = f"{'int' if kind.signed else 'uint'}{max(8, kind.width)}(...)"
            raise SortMismatchError(
                f"{kind_of(value)} is no number to compute with",
                f"Compare it by itself, or take its number: {as_number}.",
            )
        case Truth():
            raise SortMismatchError(
                "a bool is no number to compute with",
                "Join formulas with `and`, `or`; or take it as 0 or 1: int8(...).",
            )
        case Chars(path):
            raise no_text(path)
        case _:
            assert_never(value)
