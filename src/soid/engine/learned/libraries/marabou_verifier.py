"""Marabou, asked about real numbers: alternative by alternative, until one is possible."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, Final

from maraboupy import MarabouCore

from soid.engine.learned.real_query import RealQuery, RealRow

VERSION: Final = version("maraboupy")


def verified(query: RealQuery) -> tuple[str, tuple[float, ...]]:
    """`sat` with a point of the box, `unsat`, or Marabou's own word for why it is neither."""
    options = MarabouCore.Options()
    options._verbosity = 0
    open_ = ""
    for alternative in query.alternatives:
        word, values, _ = MarabouCore.solve(_asked(query, alternative), options, "")
        if word == "sat":
            return word, tuple(values[variable] for variable in range(len(query.box)))
        open_ = open_ or ("" if word == "unsat" else word)
    return open_ or "unsat", ()


def _asked(query: RealQuery, alternative: tuple[RealRow, ...]) -> Any:
    asked = MarabouCore.InputQuery()
    asked.setNumberOfVariables(query.variables)
    for variable, (low, high) in enumerate(query.box):
        asked.setLowerBound(variable, low)
        asked.setUpperBound(variable, high)
    for row in (*query.rows, *alternative):
        equation = MarabouCore.Equation(MarabouCore.Equation.EQ if row.is_equal else MarabouCore.Equation.LE)
        for variable, factor in row.terms:
            equation.addAddend(factor, variable)
        equation.setScalar(row.bound)
        asked.addEquation(equation)
    for given, result in query.relus:
        MarabouCore.addReluConstraint(asked, given, result)
    return asked
