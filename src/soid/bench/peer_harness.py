"""A question as a C harness for other tools: the fact as assignments, free variables as nondeterministic values, the
suppositions as assumptions, and the behavior as one assertion.

    would b     assert(b)       it holds: yes      it can fail: no
    might b     assert(!b)      it can fail: yes   it holds: no

A variable that the suppositions give one value is assigned, and conditions are joined by & and |, so that a tool that
follows paths does not fork at each part of a condition. The harness is for the questions of the benchmarks: a question
that C cannot express with the same meaning in a line or two is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from soid.errors import InputError
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.program.domain import AnyBitsDomain, Default, Domain, OrMissing, Range, Values
from soid.program.interface import Interface, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType, number, parse
from soid.query.query import Query, QueryKind
from soid.scenario.expression import (
    And,
    Between,
    Compare,
    Comparison,
    Expression,
    Label,
    Literal,
    Member,
    Name,
    Not,
    Or,
)
from soid.scenario.family import Family
from soid.scenario.supposition import Anything, Keep, Satisfies

#: the name of the assertion in the checker's report
PROPERTY: Final = "the behavior"


def harness(query: Query, family: Family, source: str, declarations: str, call: str) -> str:
    """A C program whose assertion holds or fails according to the answer.

    `source` is the file to include; `declarations` are those of the arguments with which `call` calls the program.
    """
    if query.kind is QueryKind.DID or query.period.count != 1:
        raise _refused(f"a `{query.kind.value}` over {query.period.count} steps")
    interface = family.interface
    values = {**family.fact, **family.given}
    given = (each for each in interface.inputs if each.path not in interface.unperceived)
    lines = [f"{each.path} = {_constant(each.type, values[each.path])};" for each in given]
    varying = [interface.variable(path) for path in family.freed]
    lines += [f"{variable.path} = {_any(variable)};" for variable in varying if variable.path not in family.given]
    lines += [f"__CPROVER_assume({_within(v, family.freed[v.path])});" for v in varying]
    for supposition in query.suppositions:
        if isinstance(supposition, Satisfies):
            lines.append(f"__CPROVER_assume({_HarnessWriter(interface, before=True).truth(supposition.formula)});")
        elif not isinstance(supposition, Anything | Keep):
            raise _refused(type(supposition).__name__)
    differs = " | ".join(_bits(variable, "!=", family.fact[variable.path]) for variable in varying)
    behavior = _HarnessWriter(interface, before=False).truth(query.behavior.expression)
    asserted = behavior if query.kind is QueryKind.WOULD else f"!({behavior})"
    lines += [f"__CPROVER_assume({differs});", call, f'__CPROVER_assert({asserted}, "{PROPERTY}");']
    body = "\n".join(f"    {line}" for line in lines)
    heads = "".join(f"{kind} {name}(void);\n" for kind, name in _NONDETERMINISTIC.items())
    return f'#include "{source}"\n\n{heads}\nint main(void)\n{{\n    {declarations}\n{body}\n}}\n'


def verdict(kind: QueryKind, holds: bool) -> str:
    """The verdict if the assertion holds, or if it can fail."""
    return "yes" if holds == (kind is QueryKind.WOULD) else "no"


#: functions without a body: in a model checker they return any value
_NONDETERMINISTIC: Final = {
    "float": "nondet_float",
    "double": "nondet_double",
    "_Bool": "nondet_bool",
    "unsigned": "nondet_unsigned",
    "int": "nondet_int",
}


#: the prefix of a compiled harness: free values come from `nondet_unsigned`, which has no body, as assume and assert
NATIVE: Final = """\
void __CPROVER_assume(int);
void __CPROVER_assert(int, const char *);
unsigned nondet_unsigned(void);
float nondet_float(void) { union { unsigned bits; float value; } any = {nondet_unsigned()}; return any.value; }
double nondet_double(void)
{
    union { unsigned bits[2]; double value; } any = {{nondet_unsigned(), nondet_unsigned()}};
    return any.value;
}
_Bool nondet_bool(void) { return nondet_unsigned() & 1; }
int nondet_int(void) { return (int)nondet_unsigned(); }
"""


def _refused(what: str) -> InputError:
    return InputError(f"{what} cannot be written as a harness", "Put a question with ranges, sets and comparisons.")


def _any(variable: Variable) -> str:
    kind = variable.type
    if isinstance(kind, FloatType) and kind.format in (FLOAT32, FLOAT64):
        return f"{_NONDETERMINISTIC['float' if kind.format == FLOAT32 else 'double']}()"
    if isinstance(kind, BoolType):
        return f"{_NONDETERMINISTIC['_Bool']}()"
    if isinstance(kind, IntType | EnumType) and kind.width == 32:
        return f"{_NONDETERMINISTIC['int' if kind.signed else 'unsigned']}()"
    raise _refused(f"any {variable.path}")


def _within(variable: Variable, domain: Domain) -> str:
    path, kind = variable.path, variable.type
    match domain:
        case AnyBitsDomain():
            return "1"
        case Range(low, high):
            return f"({_constant(kind, low)} <= {path}) & ({path} <= {_constant(kind, high)})"
        case Values(values):
            return " | ".join(_bits(variable, "==", bits) for bits in values)
        case Default():
            if isinstance(kind, FloatType):
                return f"{path} - {path} == 0"  # no NaN, no infinity
            if isinstance(kind, EnumType):
                return " | ".join(f"({path} == {label})" for label, _ in kind.labels)
            return "1"
        case OrMissing():
            raise _refused(f"missing {path}")


def _bits(variable: Variable, sign: str, bits: int) -> str:
    """The C condition that a variable's bits are these, or are not."""
    kind = variable.type
    if not isinstance(kind, FloatType):
        return f"({variable.path} {sign} {_constant(kind, bits)})"
    word = "unsigned" if kind.format == FLOAT32 else "unsigned long"
    return f"(*({word} *)&{variable.path} {sign} {bits:#x}u)"


def _constant(kind: VariableType, bits: int) -> str:
    """The value with exactly these bits, in C."""
    if isinstance(kind, BoolType):
        return str(bits)
    if isinstance(kind, FloatType):
        if kind.format not in (FLOAT32, FLOAT64) or not sf.is_finite(kind.format, bits):
            raise _refused("this number")
        if kind.format == FLOAT32:
            return f"{sf.bits32_to_float(bits).hex()}f"
        return sf.bits64_to_float(bits).hex()
    return str(number(kind, bits))


@final
@dataclass(frozen=True, slots=True)
class _HarnessWriter:
    """Formulas over the program's variables in C: over inputs before the call, over outputs after it."""

    interface: Interface
    before: bool

    def truth(self, expression: Expression) -> str:
        match expression:
            case Not(operand):
                return f"!({self.truth(operand)})"
            case And(operands):
                return " & ".join(f"({self.truth(each)})" for each in operands)
            case Or(operands):
                return " | ".join(f"({self.truth(each)})" for each in operands)
            case Compare(first, rest):
                return self._compared(first, rest)
            case Member(operand, items):
                return self._member(operand, items)
            case Name():
                return self._name(expression)
        raise _refused(type(expression).__name__)

    def _compared(self, first: Expression, rest: Sequence[tuple[Comparison, Expression]]) -> str:
        operands = [first, *(each for _, each in rest)]
        kind = self._kind(operands)
        parts, left = [], first
        for sign, right in rest:
            parts.append(f"{self._value(left, kind)} {sign.value} {self._value(right, kind)}")  # C has the same signs
            left = right
        return " & ".join(f"({part})" for part in parts)

    def _member(self, operand: Expression, items: Sequence[Expression | Between]) -> str:
        if any(isinstance(item, Between) for item in items):
            raise _refused("a range in a set")
        kind = self._kind([operand])
        value = self._value(operand, kind)
        return " | ".join(f"({value} == {self._value(item, kind)})" for item in items if not isinstance(item, Between))

    def _kind(self, operands: Sequence[Expression]) -> VariableType:
        """The type of a comparison: that of its variable."""
        for each in operands:
            if isinstance(each, Name) and each.path in self.interface:
                return self.interface.variable(each.path).type
        raise _refused("a comparison without a variable")

    def _value(self, expression: Expression, kind: VariableType) -> str:
        match expression:
            case Name(path) if path not in self.interface:
                return path  # a label, which is an enumerator in C
            case Name():
                return self._name(expression)
            case Label(text):
                return text
            case Literal(text):
                return _constant(kind, parse(kind, text))
        raise _refused(type(expression).__name__)

    def _name(self, name: Name) -> str:
        variable = self.interface.variable(name.path)
        if variable.is_input and (name.primed or not self.before):
            raise _refused("a state before and after the call")
        return variable.path
