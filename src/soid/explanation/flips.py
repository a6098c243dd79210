"""Where an answer flips along one variable: the last value on one side and the first on the other.

All other variables stay as in a scenario; the one is moved from its factual value to the scenario's. The two values
found are neighbours: no value of the type lies between them. On the first it happens as in the scenario, on the last it
does not yet; both are run. On the way from the fact no nearer value does it either: that is proved.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from msgspec import Struct

from soid.documents import JsonValue
from soid.errors import InternalError
from soid.explanation.divergence import Parting, PartingDocument, parting
from soid.explanation.study import IN_WORDS, UNEXPLORED, Explored, StudiedScenario, Study
from soid.formula.checker import Impossible
from soid.program.interface import Variable
from soid.program.types import BoolType, EnumType, json_value, show
from soid.witness.settlement import settle


@final
class FlipDocument(Struct, frozen=True):
    """Where an outcome flips, as JSON."""

    variable: str
    last: JsonValue
    first: JsonValue
    unit: str
    neighbours: bool
    nearest: bool
    happens_at_last: str
    happens_at_first: str
    replayed: list[str]
    parting: PartingDocument


@final
class Flip(Struct, frozen=True):
    """Two values of one variable, all else being the same, between which the outcome changes."""

    variable: Variable
    last: StudiedScenario  # on the fact's side
    first: StudiedScenario  # on the scenario's side
    neighbours: bool  # no value lies between them; False for what has no order: labels and truths
    nearest: bool  # proved that no value nearer to the fact does it
    parting: Parting  # of the two

    @property
    def values(self) -> tuple[int, int]:
        """Bits of the last and of the first."""
        return self.last.state[self.variable.path], self.first.state[self.variable.path]

    def __str__(self) -> str:
        last, first = (show(self.variable.type, bits) for bits in self.values)
        return f"{self.variable.path}: {last} | {first}"

    @property
    def document(self) -> FlipDocument:
        last, first = (json_value(self.variable.type, bits) for bits in self.values)
        return FlipDocument(
            variable=self.variable.path,
            last=last,
            first=first,
            unit=self.variable.unit,
            neighbours=self.neighbours,
            nearest=self.nearest,
            happens_at_last=IN_WORDS[self.last.happens],
            happens_at_first=IN_WORDS[self.first.happens],
            replayed=[self.last.witness.replayed, self.first.witness.replayed],
            parting=self.parting.document,
        )


@final
class NoFlipDocument(Struct, frozen=True):
    """Why no flip is shown, as JSON."""

    variable: str
    reason: str
    settled: bool


@final
class NoFlip(Struct, frozen=True):
    """Why there is no such place for a variable, or none was found."""

    variable: Variable
    reason: str
    settled: bool  # False: the budget ended

    @property
    def document(self) -> NoFlipDocument:
        return NoFlipDocument(self.variable.path, self.reason, self.settled)


def flip(variable: Variable, scenario: StudiedScenario, study: Study) -> Flip | NoFlip:
    """Where the outcome changes while the variable goes from its factual value to the scenario's."""
    path, kind = variable.path, variable.type
    back = study.scenario({**scenario.state, path: study.fact[path]})
    if UNEXPLORED in (back.happens, scenario.happens):
        return NoFlip(variable, _unsettled(back.witness.ending), settled=False)
    if back.happens == scenario.happens:
        return NoFlip(variable, "it does the same with the factual value: only the suppositions ask for another", True)
    if isinstance(kind, BoolType | EnumType):
        return Flip(variable, back, scenario, False, True, parting(back, scenario, study))
    return _on_the_way(variable, scenario, study)


def _on_the_way(variable: Variable, scenario: StudiedScenario, study: Study) -> Flip | NoFlip:
    path, order = variable.path, variable.order
    fact, there = order.place_of(study.fact[path]), order.place_of(scenario.state[path])
    line = variable.between(min(fact, there), max(fact, there))
    explored = study.explored({other: bits for other, bits in scenario.state.items() if other != path}, line)
    goal = [line, explored.where(scenario.happens)]
    model = {variable.symbol: scenario.state[path]}
    deadline = study.asking.deadline
    settled = settle(goal, [variable], {path: study.fact[path]}, model, explored.check, deadline)
    if not settled.complete:
        return NoFlip(variable, "where it flips was not settled in time", settled=False)
    first = order.place_of(settled.state[path])
    last = first + (1 if fact > first else -1)
    one, other = (study.scenario({**scenario.state, path: order.value_at(place)}) for place in (last, first))
    if UNEXPLORED in (one.happens, other.happens):
        return NoFlip(variable, _unsettled(one.witness.ending), settled=False)
    if other.happens != scenario.happens or one.happens == scenario.happens:
        raise _contradiction(variable, settled.state)
    nearest = _explored_between(variable, fact, last, explored)
    return Flip(variable, one, other, True, nearest, parting(one, other, study))


def _explored_between(variable: Variable, fact: int, last: int, explored: Explored) -> bool:
    """Whether everything between the fact and the flip was explored."""
    nearer = variable.between(min(fact, last), max(fact, last))
    return isinstance(explored.check([nearer, explored.encoding.unexplored]), Impossible)


def _unsettled(ending: object) -> str:
    return f"nobody knows what happens beside it: {ending}"


def _contradiction(variable: Variable, state: Mapping[str, int]) -> InternalError:
    return InternalError(
        f"the runs beside the flip of {variable.path} at {state} do not show it",
        "Please report this with the program, the log and the question.",
    )
