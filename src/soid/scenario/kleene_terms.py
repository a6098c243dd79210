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
>>> lower(ex.Compare(ex.Name("x"), ((Comparison.LT, ex.Literal("300")),)), Inputs())
Truth(true=True, false=False)
"""

from __future__ import annotations

from typing import Protocol, assert_never, final

from msgspec import Struct

from soid.errors import QueryError, SortMismatchError, UnknownVariableError
from soid.formula.build import FALSE, TRUE
from soid.formula.sorts import BitVec
from soid.formula.term import Term
from soid.program import types
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType
from soid.scenario import expression as ex
from soid.scenario.comparison_terms import among, compare, kind_of, same_bits, same_float
from soid.scenario.expression import Comparison, Expression, TextSpan, check_depth, placed, pointing_at
from soid.scenario.number_terms import absolute, compare_numbers, compute, exact, negative, whole
from soid.scenario.operand_values import (
    Choice,
    Exact,
    Number,
    Real,
    Truth,
    Value,
    Whole,
    Word,
    both,
    either,
    known,
    opposite,
)


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
        case Exact() | Real():
            raise SortMismatchError("a number is neither true nor false", "Compare it: != 0.")
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
            case ex.Arithmetic(op, left, right):
                return compute(op, _number(left, scope), _number(right, scope))
            case ex.Negate(operand):
                return negative(_number(operand, scope))
            case ex.Absolute(operand):
                return absolute(_number(operand, scope))
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
        placed(error, node.span)
        return Word(node.path, error)


def _label(text: str, span: TextSpan | None) -> Word:
    error = SortMismatchError(
        f'"{text}" is a label, and there is no enumeration here', "Compare a variable of an enumeration with it."
    )
    placed(error, span)
    return Word(text, error)


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
    return Exact(exact(node.text), node.text)


def _number(expression: Expression, scope: ExpressionScope) -> Number:
    with pointing_at(expression.span):
        value = _value(expression, scope)
        match value:
            case Real():
                return value.certain
            case Exact() | Whole():
                return value
            case Word(_, error):
                raise error
            case Choice() | Truth():
                raise SortMismatchError(f"{kind_of(value)} is no number to compute with", "Compare it by itself.")
            case _:
                assert_never(value)
