"""What the program perceives at a later step: for each variable its bits, or the input that has its value.

A question over several steps may vary what is perceived later. Such a value is an input of its own, `pilot@231`, with
the type and domain of its variable. A variable that is not mentioned has its value of the first step.

>>> from soid.program.interface import Role
>>> from soid.program.types import BoolType
>>> later = Variable("pilot@231", Role.ENVIRONMENT, BoolType())
>>> resolved(({"gps": 1, "pilot": later},), {"gps": 0, "pilot": 0, "pilot@231": 1})
({'gps': 1, 'pilot': 1},)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from soid.formula import build
from soid.formula.passes import substitute
from soid.formula.term import Term
from soid.program.interface import Variable

Perceived: TypeAlias = Mapping[str, int | Variable]


def resolved(steps: Sequence[Perceived], state: Mapping[str, int]) -> tuple[Mapping[str, int], ...]:
    """The bits that are perceived at each step, in one scenario; `state` has the bits of every input."""
    return tuple(
        {path: state[value.path] if isinstance(value, Variable) else value for path, value in step.items()}
        for step in steps
    )


def symbol_at(variable: Variable, step: Perceived, state: Mapping[str, int]) -> Term:
    """The term for a variable's bits at a step; `state` has the inputs that have one value."""
    terms: dict[Term, Term] = {}
    for source in variable.sources:
        stands = step.get(source.path, source)
        bits = state.get(stands.path) if isinstance(stands, Variable) else stands
        if bits is not None:
            terms[source.symbol] = build.const(source.symbol.sort, bits)
        elif isinstance(stands, Variable):
            terms[source.symbol] = stands.symbol
    return substitute([variable.symbol], terms)[0]
