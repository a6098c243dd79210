"""Terms as rows of plain JSON values, for files and for other processes.

A row is one node; its arguments are given by the numbers of earlier rows.

>>> from soid.formula.build import bvadd, const, var
>>> from soid.formula.sorts import BitVec
>>> x = var("x", BitVec(8))
>>> rows, roots = to_rows([bvadd(x, const(BitVec(8), 1))])
>>> rows, roots
([['x', 8], [1, 8], ['bvadd', [], [0, 1]]], [2])
>>> from_rows(rows)[2] is bvadd(x, const(BitVec(8), 1))
True

Reading checks the rows: one that no constructor makes is a ValueError or a TypeError.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from soid.formula.build import const, var
from soid.formula.constant_table import ConstantTable
from soid.formula.operators import CONST, OPERATORS, VAR
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BOOL, BitVec, Bool, Float, Sort
from soid.formula.term import Term, intern, postorder

Row = list[Any]  # a variable: name, sort; a constant: value, sort; else operator, parameters, rows of arguments


def to_rows(terms: Iterable[Term]) -> tuple[list[Row], list[int]]:
    """The rows, and the row number of each term."""
    roots = list(terms)
    rows: list[Row] = []
    number: dict[Term, int] = {}
    for term in postorder(roots):
        number[term] = len(rows)
        if term.op is VAR or term.op is CONST:
            rows.append([term.params[0], _sort_json(term.sort)])
        else:
            params = [_parameter_json(each) for each in term.params]
            rows.append([term.op.name, params, [number[arg] for arg in term.args]])
    return rows, [number[root] for root in roots]


def from_rows(rows: Sequence[Row]) -> list[Term]:
    """The term of every row."""
    terms: list[Term] = []
    for row in rows:
        terms.append(_leaf(*row) if len(row) == 2 else _application(terms, *row))
    return terms


def model_to_rows(model: Mapping[Term, bool | int]) -> list[Row]:
    """For each variable its name, its sort and its value."""
    return [[variable.name, _sort_json(variable.sort), value] for variable, value in model.items()]


def model_from_rows(rows: Iterable[Row]) -> dict[Term, bool | int]:
    """The model. The caller checks whether it satisfies its condition."""
    return {var(name, _sort(sort)): value for name, sort, value in rows}


def _leaf(content: Any, sort_row: Any) -> Term:
    sort = _sort(sort_row)
    if isinstance(content, str):
        return var(content, sort)
    fits = isinstance(content, int) and isinstance(content, bool) is isinstance(sort, Bool)
    if not fits or const(sort, content).value != content:
        raise ValueError(f"{content!r} is no value of {sort.smtlib}")
    return const(sort, content)


def _application(terms: Sequence[Term], name: str, params: list[Any], places: list[int]) -> Term:
    op = OPERATORS[name]
    if any(place < 0 for place in places) or (len(places) < 2 if op.arity is None else len(places) != op.arity):
        raise ValueError(f"{name} takes other arguments than {places}")
    args = tuple([terms[place] for place in places])
    parameters = tuple([_parameter(each) for each in params])
    return intern(op, parameters, args, op.sort(tuple([arg.sort for arg in args]), parameters))


def _sort_json(sort: Sort) -> Any:
    match sort:
        case Bool():
            return 0
        case BitVec(width):
            return width
        case Float(exponent, significand):
            return [exponent, significand]


def _sort(kept: Any) -> Sort:
    if isinstance(kept, list):
        exponent, significand = kept
        return Float(exponent, significand)
    return BitVec(kept) if kept else BOOL


def _parameter_json(parameter: Any) -> Any:
    match parameter:
        case ConstantTable():
            return {"table": _sort_json(parameter.sort), "rows": parameter.rows}
        case Rounding():
            return {"rounding": parameter.name}
        case _:
            return parameter


def _parameter(kept: Any) -> Any:
    if isinstance(kept, dict):
        if "rounding" in kept:
            return Rounding[kept["rounding"]]
        sort = _sort(kept["table"])
        if isinstance(sort, Bool):
            raise ValueError("a table holds numbers")
        return ConstantTable.of(sort, kept["rows"])
    if not isinstance(kept, int):
        raise ValueError(f"{kept!r} is no parameter")
    return kept
