"""Which values of an input a condition leaves it, as ranges of places: of a domain, and of what is supposed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from soid.formula import build
from soid.formula.intervals import NEVER
from soid.formula.passes import flatten_and, free_variables
from soid.formula.term import Term
from soid.mapping.axes import Axis, Band
from soid.mapping.box_evaluation import stretches
from soid.program import domain as domains
from soid.program.interface import Variable
from soid.scenario.family import Family

Ranges = tuple[Band, ...]  # from the first place to the last one, in order

_MOST: Final = 64  # inputs that are looked at: a picture shows fewer
_REMEMBERED: Final = 2000  # conditions


def domain_ranges(variable: Variable) -> Ranges:
    """The values that an input has when it is free."""
    return _where(variable, domains.formula(variable.type, variable.domain, variable.symbol))


def supposed_ranges(family: Family) -> Mapping[str, Ranges]:
    """Of each input that is supposed to vary, the values that it may have, as far as conditions on it alone say so."""
    conjuncts = list(flatten_and([family.precondition]))
    named = [free_variables([each]) for each in conjuncts]
    found: dict[str, Ranges] = {}
    for path in family.supposed[:_MOST]:
        variable = family.interface.variable(path)
        own = [each for each, symbols in zip(conjuncts, named, strict=True) if symbols == {variable.symbol}]
        found[path] = _where(variable, build.and_(*own))
    return found


@lru_cache(_REMEMBERED)
def _where(variable: Variable, condition: Term) -> Ranges:
    """The places at which a condition on one variable may hold; a report draws the same domains for every fact."""
    axis = Axis(variable, *variable.order.places)
    kept: Ranges = ((axis.low, axis.high),)
    for conjunct in flatten_and([condition]):
        if conjunct is build.FALSE:
            return ()
        if conjunct is not build.TRUE:
            kept = _both(kept, _along(conjunct, axis))
    return kept


def _along(conjunct: Term, axis: Axis) -> Ranges:
    along = stretches(conjunct, 0, [axis])
    begins = [axis.low, *(end + 1 for end in along.ends[:-1])]
    return tuple(
        (low, high) for low, high, value in zip(begins, along.ends, along.values, strict=True) if value != NEVER
    )


def _both(some: Sequence[Band], others: Sequence[Band]) -> Ranges:
    met = ((max(a, c), min(b, d)) for a, b in some for c, d in others)
    return tuple((low, high) for low, high in met if low <= high)
