"""Formulas as clauses: "the speed is at least 5 m/s and either the signal is LEFT or the door is open".

A clause has a subject, a copula and what is said of the subject; the copula says how it is meant: is, was, been, being.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never

from soid.program.interface import Interface, Role, Variable
from soid.program.types import MISSING, BoolType, FloatType, missing_value, parse, show
from soid.query.words.lists import listed
from soid.query.words.readable_numbers import with_unit
from soid.query.words.variable_names import VariableNames
from soid.scenario import expression as ex
from soid.scenario.expression import ArithmeticOp, Comparison, Expression, NumberFunction
from soid.scenario.expression_text import expression_text

_COMPARED: Final = {
    Comparison.EQ: "{}",
    Comparison.NE: "other than {}",
    Comparison.LT: "less than {}",
    Comparison.LE: "at most {}",
    Comparison.GT: "more than {}",
    Comparison.GE: "at least {}",
}

#: beside the value in fact, and beside what is no number
_AS_IT_WAS: Final = {
    Comparison.EQ: "as it was",
    Comparison.NE: "other than it was",
    Comparison.LT: "lower than it was",
    Comparison.LE: "no higher than it was",
    Comparison.GT: "higher than it was",
    Comparison.GE: "no lower than it was",
}

_ARITHMETIC: Final = {
    ArithmeticOp.ADD: "{} plus {}",
    ArithmeticOp.SUB: "{} minus {}",
    ArithmeticOp.MUL: "{} times {}",
    ArithmeticOp.DIV: "{} divided by {}",
    ArithmeticOp.FLOOR: "{} divided by {} and rounded down",
    ArithmeticOp.MOD: "the remainder of {} divided by {}",
    ArithmeticOp.BIT_AND: "the bits that {} and {} share",
    ArithmeticOp.BIT_OR: "the bits of {} and {} together",
    ArithmeticOp.BIT_XOR: "the bits in which {} and {} differ",
    ArithmeticOp.LEFT: "{} shifted to the left by {}",
    ArithmeticOp.RIGHT: "{} shifted to the right by {}",
}


def _function_words(function: NumberFunction) -> str:
    match function:
        case NumberFunction.ABS:
            return "the size of {}"
        case NumberFunction.MIN:
            return "the least of {}"
        case NumberFunction.MAX:
            return "the greatest of {}"
        case NumberFunction.QUOT:
            return "the whole part of {}"
        case NumberFunction.REM:
            return "what is left over of {}"
        case _:
            width = function.value.lstrip("uintfloa")
            kind = {"u": "whole number without a sign", "i": "whole number", "f": "float"}[function.value[0]]
            return f"{{}} as a {kind} of {width} bits"


class ConditionWords:
    """Words for formulas over one interface's variables.

    In a behavior a formula speaks of one call: there what a program remembers is that before or after the call.
    """

    def __init__(self, interface: Interface, names: VariableNames, *, in_a_call: bool) -> None:
        self._interface = interface
        self._names = names
        self._in_a_call = in_a_call

    # --- clauses ----------------------------------------------------------------------------------------------

    def clause(self, formula: Expression, copula: str = "is", *, inner: bool = False) -> str:
        """A formula as a clause; one that joins others is in parentheses where it is a part of another one."""
        text = self._joining(formula, copula)
        return f"({text})" if inner and joins(formula) else text

    def _joining(self, formula: Expression, copula: str) -> str:
        def part(each: Expression) -> str:
            return self.clause(each, copula, inner=True)

        match formula:
            case ex.And(parts):
                return listed(map(part, parts))
            case ex.Or(parts):
                return listed(map(part, parts), "or")
            case ex.Implies(left, right):
                return f"{part(right)} if {part(left)}"
            case ex.Iff(left, right):
                return f"{part(right)} exactly if {part(left)}"
            case ex.Not(operand) if joins(operand):
                return _joined("it", (f"not so that {part(operand)}",), copula)
            case _:
                return self._plain(formula, copula)

    def _plain(self, formula: Expression, copula: str) -> str:
        """A formula that joins no others."""
        operand = formula.operand if isinstance(formula, ex.Not) else formula
        denied = isinstance(formula, ex.Not)
        match operand:
            case ex.Fails():
                return f"the program {'does not fail' if denied else 'fails'}"
            case ex.Decides():
                return f"the program {'does not come' if denied else 'comes'} to a decision"
            case ex.Name(path) if path in self._interface.events:
                return self._event(path, denied=denied)
            case ex.SmtLib(_, named):
                names = listed(dict.fromkeys(self.term(each) for each in named)) if named else "nothing"
                return f"a formula of SMT-LIB about {names} {'does not hold' if denied else 'holds'}"
            case _:
                subject, said = self.parts(formula)
                return _joined(subject, said, copula)

    def _event(self, path: str, *, denied: bool) -> str:
        said = self._interface.variable(path).label or f"{self._names.called(path)} occurs"
        return f"it does not happen that {said}" if denied else said

    def parts(self, formula: Expression) -> tuple[str, tuple[str, ...]]:
        """The subject of a formula that joins no others, and all that is said of it: ("the x", ("at least 5",))."""
        match formula:
            case ex.Not(ex.Not(operand)):
                return self.parts(operand)
            case ex.Not(operand) if self._is_truth(operand):
                return self.term(operand), ("false",)
            case ex.Not(ex.Member(operand, items)):
                return self.term(operand), (self._none_of(operand, items),)
            case ex.Not(ex.Identical(operand, ex.Literal(text="nan"))):
                return self.term(operand), ("a number",)
            case ex.Not(operand):
                subject, said = self.parts(operand)
                return subject, (f"not {listed(said)}",)
            case ex.Compare(ex.Characters() as text, ((comparison, ex.Label() as value),)):
                return self.term(text), (_COMPARED[comparison].format(expression_text(value)),)
            case ex.Member(ex.Characters() as text, items):
                quoted = (expression_text(each) for each in items if not isinstance(each, ex.Between))
                return self.term(text), (listed(quoted, "or"),)
            case ex.Compare(first, ((comparison, value),)) if self.is_constant(first) and not self.is_constant(value):
                return self.parts(ex.Compare(value, ((comparison.mirrored, first),)))
            case ex.Compare(ex.Literal() as low, ((Comparison.LE, middle), (Comparison.LE, ex.Literal() as high))):
                return self.term(middle), (f"between {self.value(low, middle)} and {self.value(high, middle)}",)
            case ex.Compare(first, ((one, middle), (other, last))):
                said = self.predicate(one.mirrored, first, middle), self.predicate(other, last, middle)
                return self.term(middle), said
            case ex.Compare(first, rest):
                return self.term(first), tuple(self._chained(first, rest))
            case ex.Member(operand, items):
                return self.term(operand), (listed((self._item(each, operand) for each in items), "or"),)
            case ex.Identical(operand, value):
                return self.term(operand), (self._identical(operand, value),)
            case _:
                return self.term(formula), ("true",)

    def _chained(self, first: Expression, rest: tuple[tuple[Comparison, Expression], ...]) -> Iterator[str]:
        """What is said of the first of several values in a row; each later link says of whom it speaks."""
        before = first
        for comparison, value in rest:
            said = self.predicate(comparison, value, before)
            yield said if before is first else f"{self.term(before)} {said}"
            before = value

    def predicate(self, comparison: Comparison, value: Expression, subject: Expression) -> str:
        """How the subject compares with a value: "at least 5 m/s", "no lower than it was", "the same as the y"."""
        if isinstance(value, ex.FactOf) and isinstance(subject, ex.Name) and value.path == subject.path:
            return _AS_IT_WAS[comparison]
        if comparison is Comparison.EQ and not self.is_constant(value):
            return f"the same as {self.term(value)}"
        return _COMPARED[comparison].format(self.value(value, subject))

    def _identical(self, operand: Expression, value: Expression) -> str:
        """To have the same bits says more than to be equal of floats alone."""
        text, variable = self.value(value, operand), self._measured(operand)
        if text in (MISSING, "nan"):
            return {MISSING: MISSING, "nan": "no number"}[text]
        return f"exactly {text}" if variable is not None and isinstance(variable.type, FloatType) else text

    def _none_of(self, operand: Expression, items: tuple[Expression | ex.Between, ...]) -> str:
        told = [self._item(each, operand) for each in items]
        return f"other than {listed(told, 'or')}" if len(told) == 1 else f"none of {listed(told)}"

    def _item(self, item: Expression | ex.Between, operand: Expression) -> str:
        if isinstance(item, ex.Between):
            return f"{self.value(item.low, operand)} to {self.value(item.high, operand)}"
        return self.value(item, operand)

    # --- terms ------------------------------------------------------------------------------------------------

    def value(self, value: Expression, beside: Expression) -> str:
        """A value beside what it is compared with, whose type and unit it has."""
        match value:
            case ex.Literal(text) if value.is_number:
                variable = self._measured(beside)
                return text if variable is None else with_unit(literal_text(text, variable), variable.unit)
            case ex.Literal(text) if value.is_bits:
                return f"the bits {text.partition('(')[2].rstrip(')')}"
            case ex.Literal(text) | ex.Label(text):
                return text
            case _:
                return self.term(value)

    def term(self, term: Expression) -> str:
        """A value in words: "the x plus the y", "the count of fixes before the call"."""
        match term:
            case ex.Name(path, primed):
                return self._variable(path, primed)
            case ex.FactOf(path, primed):
                return f"{self._names.called(path)} {'after the call ' if primed else ''}in fact"
            case ex.Characters():
                return self.term(term.array)
            case ex.Literal(text) | ex.Label(text):
                return text
            case ex.Arithmetic(op, left, right):
                return _ARITHMETIC[op].format(self._operand(left), self._operand(right))
            case ex.Negate(operand):
                return f"minus {self._operand(operand)}"
            case ex.Complement(operand):
                return f"the complement of {self._operand(operand)}"
            case ex.FunctionCall(NumberFunction.QUOT | NumberFunction.REM as function, (one, other)):
                return _function_words(function).format(f"{self._operand(one)} divided by {self._operand(other)}")
            case ex.FunctionCall(function, operands):
                return _function_words(function).format(listed(map(self._operand, operands)))
            case ex.Compare() | ex.Member() | ex.Identical() | ex.Not() | ex.And() | ex.Or() | ex.Implies():
                return f"that {self.clause(term)}"
            case ex.Iff() | ex.SmtLib() | ex.Fails() | ex.Decides():
                return f"that {self.clause(term)}"
            case unreachable:
                assert_never(unreachable)

    def _operand(self, operand: Expression) -> str:
        joined = isinstance(operand, ex.Arithmetic | ex.Negate | ex.Complement | ex.FunctionCall)
        return f"({self.term(operand)})" if joined else self.term(operand)

    def _variable(self, path: str, primed: bool) -> str:
        variable = self.known(path)
        if variable is None and not self._interface.is_text(path):
            return path  # a label of an enumeration
        called = self._names.called(path)
        if primed:
            return f"{called} after the call"
        before = self._in_a_call and variable is not None and variable.role is Role.STATE
        return f"{called} before the call" if before else called

    def _measured(self, beside: Expression) -> Variable | None:
        """The variable whose type and unit a number has that is compared with an expression."""
        if isinstance(beside, ex.FunctionCall) and beside.function is NumberFunction.ABS:
            return self._measured(beside.operands[0])
        if isinstance(beside, ex.Arithmetic) and beside.op in (ArithmeticOp.ADD, ArithmeticOp.SUB):
            one, other = self._measured(beside.left), self._measured(beside.right)
            return one if one is not None and other is not None and one.unit == other.unit else None
        return self.known(beside.path) if isinstance(beside, ex.Name | ex.FactOf) else None

    def known(self, path: str) -> Variable | None:
        return self._interface.variable(path) if path in self._interface else None

    def is_constant(self, value: Expression) -> bool:
        """Whether it is one value: a number, a text, a label."""
        is_label = isinstance(value, ex.Name) and self.known(value.path) is None
        return is_label or isinstance(value, ex.Literal | ex.Label)

    def _is_truth(self, expression: Expression) -> bool:
        variable = self.known(expression.path) if isinstance(expression, ex.Name) else None
        return variable is not None and isinstance(variable.type, BoolType)


def joins(formula: Expression) -> bool:
    """Whether a formula joins others, or several comparisons, so that its words have an "and", an "or" or an "if"."""
    match formula:
        case ex.Not(operand):
            return joins(operand)
        case ex.And() | ex.Or() | ex.Implies() | ex.Iff():
            return True
        case ex.Compare(first, rest):
            is_range = isinstance(first, ex.Literal) and isinstance(rest[-1][1], ex.Literal)
            return len(rest) > 1 and not (is_range and [each for each, _ in rest] == [Comparison.LE, Comparison.LE])
        case _:
            return False


def literal_text(text: str, variable: Variable) -> str:
    """A number as written, rounded to the type of the variable that it is compared with."""
    if not isinstance(variable.type, FloatType):
        return text
    bits = parse(variable.type, text)
    return text if bits == missing_value(variable.type) else show(variable.type, bits)


def _joined(subject: str, said: tuple[str, ...], copula: str) -> str:
    """
    >>> _joined("the x", ("not 5",), "been"), _joined("the x", ("more than 1", "less than 2"), "is")
    ('the x not been 5', 'the x is more than 1 and less than 2')
    """
    text = listed(said)
    denied = text.startswith("not ")
    if not denied:
        return f"{subject} {copula} {text}"
    text = text.removeprefix("not ")
    return f"{subject} {copula} not {text}" if copula in ("is", "was") else f"{subject} not {copula} {text}"
