"""From paths and a behavior to formulas: the paper's encodings of factual and counterfactual questions.

With the family's formula `phi` (the suppositions, the fact punctured out), the paths' conditions `pi` and the behavior
`beta` on each path:

    would  is refuted by a state of    phi and pi and not-true(beta)      (Theorem 2, i: the implication is valid)
    might  is shown by a state of      phi and pi and true(beta)          (Theorem 2, ii)
    did    is `would` over the one factual state                          (Theorem 1)

A behavior has three values on a path. Where the program fails or does not decide, its decisions have no value, and a
formula over them is neither true nor false: that refutes a `would` and does not show a `might`, whichever way the
behavior is put. What nobody explored is kept apart: it can make a verdict unknown, and never anything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, final

from soid.engine.summary import Decided, Failed, Path, PathSummary, Undecided, Unexplored
from soid.formula import build
from soid.formula.term import Term
from soid.program.interface import Interface, Variable
from soid.query.behavior import Behavior
from soid.scenario.lowering import Operand, lower
from soid.scenario.values import Truth


@final
@dataclass(frozen=True, slots=True)
class Encoding:
    """Where in the family the behavior stands how; each a formula over the freed inputs' symbols."""

    shows: Term  # the behavior occurs
    refutes: Mapping[str, Term]  # it does not, by what happens instead, in the order in which they are looked for
    unexplored: Term  # nobody knows


#: what can happen instead of a behavior; the first that has a witness is the one shown
OTHERWISE: Final = "decides otherwise"
FAILS: Final = "fails"
UNDECIDED: Final = "does not decide"
NEITHER: Final = "speaks of something that is never reached"


def encode(summary: PathSummary, behavior: Behavior, facts: Facts) -> Encoding:
    """The behavior over all paths."""
    shows: list[Term] = []
    refutes: dict[str, list[Term]] = {OTHERWISE: [], FAILS: [], UNDECIDED: [], NEITHER: []}
    unexplored: list[Term] = []
    for path in summary.paths:
        if isinstance(path.ending, Unexplored):
            unexplored.append(path.condition)
            continue
        truth = truth_on(path, behavior, facts)
        shows.append(build.and_(path.condition, truth.true))
        for what, where in _instead(path, truth).items():
            refutes[what].append(build.and_(path.condition, where))
    return Encoding(
        shows=build.any_of(shows),
        refutes={what: build.any_of(where) for what, where in refutes.items()},
        unexplored=build.any_of(unexplored),
    )


def truth_on(path: Path, behavior: Behavior, facts: Facts) -> Truth:
    """Where on a path the behavior is true, and where it is false."""
    if not isinstance(path.ending, Decided) and not behavior.speaks_of_endings:
        return Truth(build.FALSE, build.FALSE)
    return lower(behavior.expression, PathScope(path, facts))


def _instead(path: Path, truth: Truth) -> dict[str, Term]:
    """What happens instead of the behavior on a path, and where."""
    not_true = build.not_(truth.true)
    if isinstance(path.ending, Failed):
        return {FAILS: not_true}
    if isinstance(path.ending, Undecided):
        return {UNDECIDED: not_true}
    return {OTHERWISE: truth.false, NEITHER: build.and_(not_true, build.not_(truth.false))}


@final
@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of the factual moment: what `fact(...)` means, and the inputs that keep their values."""

    interface: Interface
    inputs: Mapping[str, int]  # bits of every input in the fact
    outputs: Mapping[str, int]  # bits of what was decided: as logged, and where not logged as the program computes it
    fixed: Mapping[str, int]  # bits of the inputs that the family leaves alone


@final
@dataclass(frozen=True, slots=True)
class PathScope:
    """What names mean on one path."""

    path: Path
    facts: Facts

    @property
    def fails(self) -> Term:
        return build.const(build.TRUE.sort, isinstance(self.path.ending, Failed))

    @property
    def decides(self) -> Term:
        return build.const(build.TRUE.sort, isinstance(self.path.ending, Decided))

    def read(self, name: str, primed: bool, /) -> Operand:
        variable = self.facts.interface.variable(name)
        if variable.is_input and not primed:
            bits = self.facts.fixed.get(variable.path)
            return Operand(variable.type, variable.symbol) if bits is None else _given(variable, bits)
        output = self.path.outputs.get(f"{variable.path}'" if primed else variable.path)
        return Operand(variable.type, output.term, output.defined) if output else _given(variable, None)

    def fact(self, name: str, primed: bool, /) -> Operand:
        variable = self.facts.interface.variable(name)
        known = self.facts.inputs if variable.is_input and not primed else self.facts.outputs
        return _given(variable, known.get(f"{variable.path}'" if primed else variable.path))


def _given(variable: Variable, bits: int | None) -> Operand:
    """A value that is known, or a variable that has none."""
    value = build.const(variable.symbol.sort, bits or 0)
    return Operand(variable.type, value, build.FALSE if bits is None else build.TRUE)
