"""What follows from a formula by its form, in Kleene's logic of three values.

`entails(one, other)`: wherever the first is true, the second is. `falsifies`: wherever the first is true, the second is
false. An answer of False means that the form does not show it.

>>> from soid.query.language.query_parser import parse_behavior
>>> one, other = (parse_behavior(text).expression for text in ("brake and turn", "turn or stop"))
>>> entails(one, other, Interface(())), entails(other, one, Interface(()))
(True, False)
"""

from __future__ import annotations

from soid.program.interface import Interface
from soid.program.types import BoolType, EnumType, IntType, parse
from soid.scenario.expression import And, Compare, Comparison, Expression, Label, Literal, Name, Not, Or


def entails(one: Expression, other: Expression, interface: Interface) -> bool:
    if one == other:
        return True
    if isinstance(other, And):
        return all(entails(one, each, interface) for each in other.operands)
    if isinstance(one, Or):
        return all(entails(each, other, interface) for each in one.operands)
    if isinstance(other, Not) and falsifies(one, other.operand, interface):
        return True
    some = isinstance(one, And) and any(entails(each, other, interface) for each in one.operands)
    return some or (isinstance(other, Or) and any(entails(one, each, interface) for each in other.operands))


def falsifies(one: Expression, other: Expression, interface: Interface) -> bool:
    if isinstance(other, Or):
        return all(falsifies(one, each, interface) for each in other.operands)
    if isinstance(one, Or):
        return all(falsifies(each, other, interface) for each in one.operands)
    if isinstance(other, Not) and entails(one, other.operand, interface):
        return True
    if isinstance(one, Not) and one.operand == other:
        return True
    if isinstance(one, And) and any(falsifies(each, other, interface) for each in one.operands):
        return True
    if isinstance(other, And) and any(falsifies(one, each, interface) for each in other.operands):
        return True
    return _are_apart(one, other, interface)


def _are_apart(one: Expression, other: Expression, interface: Interface) -> bool:
    """Whether they say that a variable has two different values."""
    here, there = _value(one, interface), _value(other, interface)
    return here is not None and there is not None and here[0] == there[0] and here[1] != there[1]


def _value(said: Expression, interface: Interface) -> tuple[Name, int] | None:
    """The variable that is said to have a value, and the value's bits; floats are left out, of which two are zero."""
    if not isinstance(said, Compare) or len(said.rest) != 1 or said.rest[0][0] is not Comparison.EQ:
        return None
    for variable, value in ((said.first, said.rest[0][1]), (said.rest[0][1], said.first)):
        if isinstance(variable, Name) and variable.path in interface and isinstance(value, Name | Label | Literal):
            kind = interface.variable(variable.path).type
            text = value.path if isinstance(value, Name) else value.text
            if isinstance(kind, BoolType | EnumType | IntType) and not _is_variable(value, interface):
                try:
                    return variable, parse(kind, text)
                except ValueError:
                    return None
    return None


def _is_variable(value: Expression, interface: Interface) -> bool:
    return isinstance(value, Name) and value.path in interface
