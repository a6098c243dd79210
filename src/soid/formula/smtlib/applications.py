"""Applications of operators by their table row, and of a script's own definitions.

Each function gets the elaborator, the name, the values of the arguments and the group that they stand in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from soid.formula import build
from soid.formula.operators import IllSorted
from soid.formula.passes import substitute
from soid.formula.smtlib.derived_operators import PLAIN, ROUNDED
from soid.formula.smtlib.elaborated_values import Macro, Value
from soid.formula.smtlib.sexpr import Parenthesis
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BitVec, Bool
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.formula.smtlib.elaborator import Elaborator

EXPANSION: Final = 2_000_000  # nodes, over all uses of a script's definitions with parameters
_MOST_DISTINCT: Final = 2_000  # arguments: their pairs are written out


def plain(e: Elaborator, name: str, values: list[Value], group: Parenthesis) -> Term:
    """An operator without parameters: a row of the table, or lowered to some."""
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
    """A definition with its arguments in the parameters' place."""
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
