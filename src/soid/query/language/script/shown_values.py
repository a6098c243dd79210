"""Values of the scenarios that answers of a script have shown, put into later questions before these are asked.

let q = might move if other.x is anything       the answer shows a scenario with other.x = 1.5
let w = witness of q
would move if other.x == w.other.x              is asked as: would move if other.x == 1.5
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from soid.program.interface import Interface
from soid.program.types import show
from soid.query.behavior import Behavior
from soid.query.query import Query
from soid.scenario import expression as ex
from soid.scenario.expression import Expression, rebuilt, walk
from soid.scenario.supposition import During, Satisfies, Supposition

#: the value of such a node
Value = Callable[[ex.FactOf], Expression]


def shown_in(query: Query) -> Iterator[ex.FactOf]:
    """The values in a question that are of scenarios."""
    formulas = [query.behavior.expression]
    for each in query.suppositions:
        supposed = each.supposed if isinstance(each, During) else each
        formulas += [supposed.formula] if isinstance(supposed, Satisfies) else []
        formulas += [each.until] if isinstance(each, During) and each.until is not None else []
    for formula in formulas:
        yield from (node for node in walk(formula) if isinstance(node, ex.FactOf) and node.shown is not None)


def filled(query: Query, value: Value) -> Query:
    """The question with these values written out."""

    def of_formula(node: Expression) -> Expression:
        if isinstance(node, ex.FactOf) and node.shown is not None:
            return value(node)
        made: Expression = rebuilt(node, of_formula)
        return made

    def of_supposition(each: Supposition) -> Supposition:
        if isinstance(each, Satisfies):
            return replace(each, formula=of_formula(each.formula))
        if isinstance(each, During):
            supposed = of_supposition(each.supposed)
            assert not isinstance(supposed, During)
            return replace(each, supposed=supposed, until=None if each.until is None else of_formula(each.until))
        return each

    behavior = Behavior(of_formula(query.behavior.expression), span=query.behavior.span)
    return replace(query, behavior=behavior, suppositions=tuple(map(of_supposition, query.suppositions)))


def value_in(
    node: ex.FactOf, interface: Interface, inputs: Mapping[str, int], outputs: Mapping[str, int]
) -> Expression | None:
    """What a variable is in a scenario, as written in a question; None if it has no value there."""
    variable = interface.variable(node.path)
    given = variable.is_input and not node.primed
    name = f"{variable.path}'" if node.primed else variable.path
    bits = variable.value_in(inputs) if given else outputs.get(name)
    if bits is None:
        return None
    text = show(variable.type, bits)
    try:
        return ex.Literal(text)
    except ValueError:
        return ex.Name(text) if text.isidentifier() else ex.Label(text)
