"""A scenario of a question about pairs as its two lives, side by side: what differs, what both share, both outcomes.

variable    one      the other            outcome   one    the other
sex         FEMALE   MALE                 limit     1500   750
income      900.0    900.0                          (both otherwise as in fact)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, final

from msgspec import Struct

from soid.engine.summary import Decided
from soid.oracle.answer import Answer, GivenInput
from soid.program.domain import Range
from soid.program.interface import Variable
from soid.program.product_interface import FAILS, is_failure
from soid.program.types import show
from soid.query.lives import other_life
from soid.scenario.origin import Origin
from soid.witness.witness import Witness, outcome_text

#: the columns of its tables
ONE: Final = "one"
OTHER: Final = "the other"

_NOTHING: Final = "none"  # what is shown of an outcome where the program fails or does not decide


@final
class PairRow(Struct, frozen=True):
    """One variable in both lives."""

    name: str  # as the first life calls it; a prime: the state after the call
    variable: Variable
    one: Range | None  # None: it has no value there
    other: Range | None

    def told(self, value: Range | None, text: Callable[[int], str] | None = None) -> str:
        """One of its values in words, by the words for bits."""
        kind = self.variable.type
        return _NOTHING if value is None else outcome_text(value, kind, text or partial(show, kind))

    @property
    def is_left(self) -> bool:
        """Whether it is state after the call."""
        return self.name.endswith("'")


@final
class ShownPair(Struct, frozen=True):
    """What is shown of a pair."""

    differing: tuple[PairRow, ...]  # inputs in which the two differ
    shared: tuple[PairRow, ...]  # inputs that are the same in both, and not as in fact
    given: tuple[GivenInput, ...]  # inputs that are as in fact in both
    outcomes: tuple[PairRow, ...]
    ends: tuple[str, ...]  # how the program ends for one of them, if it does not decide


def shown_pair(answer: Answer, witness: Witness) -> ShownPair | None:
    """The two lives of a scenario; None if the question is about no pairs."""
    if answer.query.lives is None:
        return None
    interface, bits = witness.interface, witness.inputs
    life = other_life(interface)
    inputs = [each for each in interface.inputs if not each.path.startswith(f"{life}.")]
    changed = {each.variable.path for each in answer.told(witness)}
    doubled = {each.path: f"{life}.{each.path}" for each in inputs if f"{life}.{each.path}" in bits}
    differing = [_row(v, bits[v.path], bits[doubled[v.path]]) for v in inputs if v.path in doubled]
    shared = [_row(v, bits[v.path], bits[v.path]) for v in inputs if v.path in changed - doubled.keys()]
    given = [each for each in answer.given(witness) if each.variable.path in {v.path for v in inputs} - doubled.keys()]
    known = tuple(each for each in given if each.origin is not Origin.ASSUMED)
    return ShownPair(tuple(differing), tuple(shared), known, _outcomes(witness, life), _ends(witness, life))


def _row(variable: Variable, one: int, other: int) -> PairRow:
    return PairRow(variable.path, variable, Range(one, one), Range(other, other))


def _outcomes(witness: Witness, life: str) -> tuple[PairRow, ...]:
    found: Mapping[str, Range] = witness.outcomes[-1] if witness.outcomes else {}
    names = dict.fromkeys(name.removeprefix(f"{life}.") for name in found)
    rows = []
    for name in names:
        if name != FAILS:  # of the second life; how it ends is told in a sentence
            variable, lived = witness.interface.variable(name.removesuffix("'")), (name, f"{life}.{name}")
            one, other = (found.get(each) for each in lived)
            if not is_failure(variable) or Range(1, 1) in (one, other):
                rows.append(PairRow(name, variable, one, other))
    return tuple(rows)


def _ends(witness: Witness, life: str) -> tuple[str, ...]:
    ends = [] if isinstance(witness.ending, Decided) else [f"For {ONE} the program {witness.ending}."]
    if witness.outputs.get(f"{life}.{FAILS}"):
        ends.append(f"For {OTHER} the program fails.")
    return tuple(ends)
