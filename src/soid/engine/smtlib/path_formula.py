"""Takes a path's formula apart: into its condition and the terms of its outputs.

A path of a symbolic executor is one conjunction over inputs and outputs. The outputs are fresh variables, and
equations define them:

    error and not closed and action = 3      over the output `action`
    condition  error and not closed          outputs  action: 3

Bytes of an output may be defined one by one, as KLEE does. An output that is only constrained (`action > 2`) has no
single value in a state, and is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import final

from msgspec import Struct

from soid.formula import build
from soid.formula import operators as ops
from soid.formula.passes import flatten_and, free_variables, substitute
from soid.formula.sorts import BitVec, Bool
from soid.formula.term import Term


@final
class TakenApart(Struct, frozen=True):
    """A path's formula in two parts."""

    condition: Term  # over the inputs alone
    defined: Mapping[Term, Term]  # each output's variable: what it is, over the inputs alone
    missing: tuple[Term, ...]  # outputs that the formula does not determine


def take_apart(formula: Iterable[Term], outputs: Collection[Term]) -> TakenApart:
    conjuncts = flatten_and(formula)
    defined: dict[Term, Term] = {}
    pieces: dict[Term, dict[int, tuple[int, Term]]] = {}
    for conjunct in conjuncts:
        _note(conjunct, outputs, defined, pieces)
    for output, known in pieces.items():
        whole = _assembled(output, known)
        if output not in defined and whole is not None:
            defined[output] = whole
    # This turns each defining equation into `t = t`, which is true, so that only the conditions remain.
    rest = substitute(conjuncts, defined)
    missing = [output for output in outputs if output not in defined]
    return TakenApart(build.all_of(rest), defined, tuple(missing))


def _note(
    conjunct: Term,
    outputs: Collection[Term],
    defined: dict[Term, Term],
    pieces: dict[Term, dict[int, tuple[int, Term]]],
) -> None:
    """Record the equation if a conjunct defines an output, or a piece of one."""
    for target, value in _equations(conjunct):
        if not free_variables([value]).isdisjoint(outputs):
            continue
        if target in outputs:
            defined.setdefault(target, value)
        elif target.op is ops.EXTRACT and target.args[0] in outputs:
            high, low = target.params
            pieces.setdefault(target.args[0], {}).setdefault(low, (high, value))


def _equations(conjunct: Term) -> list[tuple[Term, Term]]:
    """The readings of a conjunct as `target = value`."""
    if conjunct.op is ops.EQ:
        a, b = conjunct.args
        return [(a, b), (b, a)]
    if conjunct.is_var and isinstance(conjunct.sort, Bool):
        return [(conjunct, build.TRUE)]
    if conjunct.op is ops.NOT:
        inner = conjunct.args[0]
        if inner.is_var:
            return [(inner, build.FALSE)]
        if inner.op is ops.EQ and isinstance(inner.args[0].sort, Bool):
            a, b = inner.args
            return [(a, build.not_(b)), (b, build.not_(a))]
    return []


def _assembled(output: Term, pieces: Mapping[int, tuple[int, Term]]) -> Term | None:
    """The whole output from its pieces, if they leave no gap."""
    assert isinstance(output.sort, BitVec)
    whole: Term | None = None
    at = 0
    while at < output.sort.width:
        if at not in pieces:
            return None
        high, value = pieces[at]
        whole = value if whole is None else build.concat(value, whole)
        at = high + 1
    return whole
