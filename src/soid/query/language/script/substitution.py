"""Transformations of expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from msgspec.structs import replace

from soid.errors import QueryError
from soid.scenario.expression import (
    Absolute,
    And,
    Arithmetic,
    Between,
    Compare,
    Comparison,
    Decides,
    Expression,
    FactOf,
    Fails,
    Identical,
    Label,
    Literal,
    Member,
    Name,
    Negate,
    Not,
    Or,
    TextSpan,
    negate,
    placed,
)
from soid.scenario.supposition import Satisfies, Supposition


def rebuilt(node: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The node with `change` applied to each of its parts."""
    match node:
        case Name() | Literal() | Label() | FactOf() | Fails() | Decides():
            return node
        case Arithmetic(_, left, right):
            return replace(node, left=change(left), right=change(right))
        case Negate(operand):
            return negate(change(operand), node.span)  # minus a literal number is a literal
        case Absolute(operand) | Not(operand):
            return replace(node, operand=change(operand))
        case Compare(first, rest):
            return replace(node, first=change(first), rest=tuple((op, change(operand)) for op, operand in rest))
        case Member(operand, items):
            return replace(node, operand=change(operand), items=tuple(_item(item, change) for item in items))
        case Identical(operand, value):
            return replace(node, operand=change(operand), value=_constant(change(value), value.span))
        case And(operands) | Or(operands):
            return replace(node, operands=tuple(map(change, operands)))
        case _:
            assert_never(node)


def _item(item: Expression | Between, change: Callable[[Expression], Expression]) -> Expression | Between:
    if isinstance(item, Between):
        return replace(item, low=change(item.low), high=change(item.high))
    return change(item)


def _constant(value: Expression, span: TextSpan | None) -> Literal | Label | Name:
    if not isinstance(value, Literal | Label | Name):
        raise placed(QueryError("`is` compares with one value, written out", "Compare with == instead."), span)
    return value


def moved(node: Expression, span: TextSpan | None) -> Expression:
    """The expression with one span for all its nodes."""
    here = rebuilt(node, lambda part: moved(part, span))
    if isinstance(here, Member):
        items = tuple(replace(item, span=span) if isinstance(item, Between) else item for item in here.items)
        here = replace(here, items=items)
    return replace(here, span=span)


def moved_supposition(supposition: Supposition, span: TextSpan | None) -> Supposition:
    if isinstance(supposition, Satisfies):
        return Satisfies(moved(supposition.formula, span), span=span)
    return replace(supposition, span=span)


def opposite(formula: Expression) -> Expression:
    """The negated formula, without double negation.

    >>> opposite(Compare(Name("signal"), ((Comparison.EQ, Name("RIGHT")),))).rest[0][0].value
    '!='
    >>> opposite(Not(Name("move")))
    Name(path='move', primed=False)
    """
    turned = {Comparison.EQ: Comparison.NE, Comparison.NE: Comparison.EQ}  # not for < and >=: both are false for NaN
    match formula:
        case Not(operand):
            return operand
        case Compare(_, ((op, operand),)) if op in turned:
            return replace(formula, rest=((turned[op], operand),))
        case _:
            return Not(formula, span=formula.span)
