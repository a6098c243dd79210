"""Terms as flat lists, for carrying them between processes without recursion.

Each row is one node, its arguments given by the rows' numbers; reading the rows in order rebuilds the terms.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, final

from msgspec import Struct

from soid.formula.constant_table import ConstantTable
from soid.formula.operators import CONST, OPERATORS, VAR
from soid.formula.sorts import Sort
from soid.formula.term import Term, intern, postorder

_LEAVES = {CONST.name: CONST, VAR.name: VAR}


@final
class Flat(Struct, frozen=True):
    """Terms without pointers; picklable."""

    rows: list[tuple[str, tuple[Any, ...], tuple[int, ...], Sort]]  # operator, parameters, argument rows, sort
    roots: list[int]  # the rows that were asked for


def dump(terms: Iterable[Term]) -> Flat:
    roots = list(terms)
    index: dict[Term, int] = {}
    rows: list[tuple[str, tuple[Any, ...], tuple[int, ...], Sort]] = []
    for term in postorder(roots):
        index[term] = len(rows)
        params = tuple(("table", p.sort, p.rows) if isinstance(p, ConstantTable) else p for p in term.params)
        rows.append((term.op.name, params, tuple(index[arg] for arg in term.args), term.sort))
    return Flat(rows, [index[root] for root in roots])


def load(flat: Flat) -> list[Term]:
    terms: list[Term] = []
    for name, params, args, sort in flat.rows:
        op = _LEAVES.get(name) or OPERATORS[name]
        params = tuple(ConstantTable.of(p[1], p[2]) if isinstance(p, tuple) else p for p in params)
        terms.append(intern(op, params, tuple(terms[i] for i in args), sort))
    return [terms[root] for root in flat.roots]
