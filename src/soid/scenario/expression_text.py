"""Expressions as text, with as few parentheses as the grammar allows.

>>> from soid.scenario.expression import And, Literal, Name, Not, Or
>>> expression_text(And((Name("error"), Or((Name("heat"), Not(Name("closed")))))))
'error and (heat or not closed)'
"""

from __future__ import annotations

import re
from typing import Final, assert_never

from soid.scenario import expression as ex
from soid.scenario.expression import ArithmeticOp, Expression

#: the reserved words of the language; a variable with such a name is written in backticks
RESERVED: Final = frozenset({
    "did", "would", "might", "if", "not", "and", "or", "in", "is", "within", "of", "fact", "keep", "anything", "any",
    "bits", "true", "false", "nan", "inf", "fails", "decides", "after", "throughout", "until", "implies", "iff", "xor",
})  # fmt: skip

#: a path that needs no backticks: a.b[1].c, *speed, safe_to_enter(), decide:closest
PLAIN_PATH: Final = re.compile(r"\**[^\W\d]\w*(?:\(\))?(?:(?:\.|->|:)[^\W\d]\w*(?:\(\))?|\[[0-9]+\])*")

# How tightly each form binds, in the order of the grammar's rules.
_IFF, _IMPLIES, _OR, _AND, _NOT, _COMPARE, _BIT_OR, _BIT_XOR, _BIT_AND, _SHIFT, _SUM, _PRODUCT, _MINUS, _ATOM = range(
    14
)
_VALUE: Final = _BIT_OR  # the loosest of what is compared

_BINDING: Final = {
    ArithmeticOp.ADD: _SUM,
    ArithmeticOp.SUB: _SUM,
    ArithmeticOp.MUL: _PRODUCT,
    ArithmeticOp.DIV: _PRODUCT,
    ArithmeticOp.FLOOR: _PRODUCT,
    ArithmeticOp.MOD: _PRODUCT,
    ArithmeticOp.BIT_AND: _BIT_AND,
    ArithmeticOp.BIT_OR: _BIT_OR,
    ArithmeticOp.BIT_XOR: _BIT_XOR,
    ArithmeticOp.LEFT: _SHIFT,
    ArithmeticOp.RIGHT: _SHIFT,
}


def path_text(path: str) -> str:
    """The text of a path; in backticks if it is a reserved word or has unusual characters."""
    if PLAIN_PATH.fullmatch(path) and path not in RESERVED:
        return path
    return "`" + path.replace("`", "``") + "`"


def label_text(label: str) -> str:
    return '"' + label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def expression_text(expression: Expression) -> str:
    return _text(expression, _IFF)


def is_joined(expression: Expression) -> bool:
    """Whether a formula is in parentheses where others are joined to it by `and`, or steps follow it."""
    return isinstance(expression, ex.And | ex.Or | ex.Implies | ex.Iff)


def _text(node: Expression, context: int) -> str:
    """The text of a node; in parentheses if the context binds tighter than the node."""
    text, binding = _form(node)
    return f"({text})" if binding < context else text


def _form(node: Expression) -> tuple[str, int]:
    match node:
        case ex.Name(path, primed):
            return path_text(path) + "'" * primed, _ATOM
        case ex.Literal(text):
            return text, _MINUS if text.startswith("-") else _ATOM
        case ex.Label(text):
            return label_text(text), _ATOM
        case ex.FactOf(path, primed):
            return f"fact({path_text(path)}{primed * chr(39)})", _ATOM
        case ex.FunctionCall(function, operands):
            return f"{function.value}({', '.join(_text(operand, _VALUE) for operand in operands)})", _ATOM
        case ex.Characters():
            return _form(node.array)
        case ex.SmtLib(text):
            return f"smtlib({label_text(text)})", _ATOM
        case ex.Fails():
            return "fails", _ATOM
        case ex.Decides():
            return "decides", _ATOM
        case ex.Negate(operand):
            return f"-{_text(operand, _MINUS)}", _MINUS
        case ex.Complement(operand):
            return f"~{_text(operand, _MINUS)}", _MINUS
        case ex.Arithmetic(op, left, right):
            binding = _BINDING[op]
            return f"{_text(left, binding)} {op.value} {_text(right, binding + 1)}", binding
        case ex.Compare() | ex.Member() | ex.Identical():
            return _comparison(node), _COMPARE
        case ex.Not(ex.Member() | ex.Identical() as operand):
            return _comparison(operand, "not "), _COMPARE
        case ex.Not(operand):
            return f"not {_text(operand, _NOT)}", _NOT
        case ex.And(operands):
            return " and ".join(_text(operand, _NOT) for operand in operands), _AND
        case ex.Or(operands):
            return " or ".join(_text(operand, _AND) for operand in operands), _OR
        case ex.Implies(left, right):
            return f"{_text(left, _OR)} implies {_text(right, _IMPLIES)}", _IMPLIES
        case ex.Iff(left, right):
            return f"{_text(left, _OR)} iff {_text(right, _OR)}", _IFF
        case _:
            assert_never(node)


def _comparison(node: ex.Compare | ex.Member | ex.Identical, denied: str = "") -> str:
    match node:
        case ex.Compare(first, rest):
            links = (f" {op.value} {_text(operand, _VALUE)}" for op, operand in rest)
            return _text(first, _VALUE) + "".join(links)
        case ex.Member(operand, items):
            return f"{_text(operand, _VALUE)} {denied}in {{{', '.join(_item(item) for item in items)}}}"
        case ex.Identical(operand, value):
            return f"{_text(operand, _VALUE)} is {denied}{_text(value, _MINUS)}"
        case _:
            assert_never(node)


def _item(item: Expression | ex.Between) -> str:
    if isinstance(item, ex.Between):
        return f"{_text(item.low, _VALUE)}..{_text(item.high, _VALUE)}"
    return _text(item, _VALUE)
