"""How a question is read where it may be read otherwise: said beside its answer.

>>> from soid.program.interface import Role, Variable
>>> from soid.program.types import IntType
>>> from soid.query.language.query_parser import parse
>>> interface = Interface((Variable("mode", Role.STATE, IntType(8, signed=False)),))
>>> remarks(parse("did mode == 3", interface), interface)
("mode is the state before the call; the state after it is written mode'",)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from soid.formula import softfloat as sf
from soid.program.interface import Interface, Role
from soid.program.types import FloatType, show
from soid.query.behavior import CheckScope
from soid.query.query import Query
from soid.query.steps import Over
from soid.query.words import Words
from soid.query.words.event_words import speaks_of_events
from soid.scenario import expression as ex
from soid.scenario.expression import ArithmeticOp, Expression, NumberFunction, walk
from soid.scenario.expression_text import expression_text, path_text
from soid.scenario.float_terms import is_rounded
from soid.scenario.free_conditions import InputScope
from soid.scenario.kleene_terms import ExpressionScope, arithmetic_operands, number_of
from soid.scenario.operand_values import Exact, Number, Real, Whole
from soid.scenario.supposition import During, Satisfies, left_out, mentioned


def remarks(query: Query, interface: Interface) -> tuple[str, ...]:
    """The remarks on a query that fits the interface, each once."""
    found = list(_unprimed(query.behavior.expression, interface))
    found += _computed(query.behavior.expression, CheckScope(interface))
    for each in query.suppositions:
        supposed = each.supposed if isinstance(each, During) else each
        if isinstance(supposed, Satisfies):
            found += _computed(supposed.formula, InputScope(interface, defaultdict(int), {}))
        if isinstance(each, During) and each.until is not None:
            found += _computed(each.until, CheckScope(interface))
    found += _decided(query, interface)
    found += _of_events(query, interface)
    found += _left_out(query, interface)
    return tuple(dict.fromkeys(found))


def no_numbers(query: Query, interface: Interface, fact: Mapping[str, int]) -> tuple[str, ...]:
    """What the query reads of the fact and was no number there: a float that equals nothing, not even itself."""
    found = []
    for name in query.facts(interface) if query.lives is None else ():
        variable, bits = interface.variable(name.removesuffix("'")), fact.get(name)
        if isinstance(variable.type, FloatType) and bits is not None and sf.is_nan(variable.type.format, bits):
            found.append(f"in fact {Words(interface).called(name)} was no number, and nothing is equal to that")
    return tuple(found)


def _unprimed(behavior: Expression, interface: Interface) -> Iterator[str]:
    """State without its prime: what the program leaves behind is something else."""
    names = [node for node in walk(behavior) if isinstance(node, ex.Name) and node.path in interface]
    primed = {interface.variable(node.path).path for node in names if node.primed}
    for path in dict.fromkeys(interface.variable(node.path).path for node in names if not node.primed):
        if interface.variable(path).role is Role.STATE and path not in primed:
            yield f"{path_text(path)} is the state before the call; the state after it is written {path_text(path)}'"


def _decided(query: Query, interface: Interface) -> Iterator[str]:
    """Decisions that the behavior speaks of, and in whose place something else is done."""
    if interface.acted:
        named = (variable for each in query.suppositions for variable in mentioned(interface, each))
        for path in dict.fromkeys(variable.path for variable in named if not variable.is_input):
            if path in query.behavior.names:
                yield f"{path} is what the program decides; what is done in its place is supposed, for the world alone"


def _of_events(query: Query, interface: Interface) -> Iterator[str]:
    """Which steps a question about an event means, where it is easily read as another one."""
    formula, period = query.behavior.expression, query.period
    if not speaks_of_events(formula, interface):
        return
    if period.count == 1 and query.behavior.names & interface.harms:
        over = "throughout" if isinstance(formula, ex.Not) else "within"
        yield f"this is asked of one step; of later ones it is `{expression_text(formula)} {over} 20 steps`"
    elif period.count > 1 and period.over is Over.WITHIN and isinstance(formula, ex.Not):
        text = expression_text(formula)
        never = f"that it never happens is `{text} throughout {period.count} steps`"
        yield f"`{text} within {period.count} steps` asks whether there is a step in which it does not happen; {never}"


def _left_out(query: Query, interface: Interface) -> Iterator[str]:
    """Values that are supposed, and that no scenario has because the domain leaves them out."""
    for variable, bits in left_out(interface, query.suppositions):
        path, value = path_text(variable.path), show(variable.type, bits)
        yield f"{path} ranges over {variable.domain_text}, without {value}; `{path} is any bits` adds the rest"


def _computed(expression: Expression, scope: ExpressionScope) -> Iterator[str]:
    for node in walk(expression):
        match node:
            case ex.Arithmetic():
                yield from _arithmetic(node, scope)
            case ex.FunctionCall(NumberFunction.MIN | NumberFunction.MAX, operands):
                yield from _rounded(node, operands, [number_of(each, scope) for each in operands])
            case ex.Characters():
                array = expression_text(node.array)
                yield f"{array} is read as C reads a text: what is behind its first zero does not matter"
            case _:
                pass


def _rounded(node: Expression, written: Sequence[Expression], numbers: Sequence[Number]) -> Iterator[str]:
    """The numbers that become floats because others are, and may change."""
    formats = [number.format for number in numbers if isinstance(number, Real)]
    wide = max(formats, key=lambda format: format.width, default=None)
    for each, number in zip(written, numbers, strict=True):
        if wide is not None and is_rounded(number, wide):
            rounded = f"{expression_text(each)} is first rounded to float{wide.width}, to nearest, ties to even"
            yield f"in {expression_text(node)}, {rounded}"


def _arithmetic(node: ex.Arithmetic, scope: ExpressionScope) -> Iterator[str]:
    left, right = arithmetic_operands(node, scope)
    yield from _rounded(node, (node.left, node.right), (left, right))
    if node.op in (ArithmeticOp.FLOOR, ArithmeticOp.MOD) and any(
        not isinstance(number, Exact) and not (isinstance(number, Whole) and number.low >= 0)
        for number in (left, right)
    ):
        yield "// rounds down, and % has the sign of the divisor; C's own are written quot(x, y) and rem(x, y)"
