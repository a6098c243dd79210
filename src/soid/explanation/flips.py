"""Where the outcome flips along one variable: the last value on the fact's side and the first on the scenario's side.

All other variables stay as in the scenario; this one moves from its factual value to the scenario's value. The two
values found are neighbours: no value of the type lies between them. At the first value the outcome is that of the
scenario, at the last value it is not yet; both are run. It is proved that no value nearer to the fact has that outcome.
If some inputs are not known, a value has an outcome if it has it whatever these were. At the last value there are some
for which it does not; both values are run with these.
"""

from __future__ import annotations

from typing import final

from msgspec import Struct

from soid.documents import JsonValue
from soid.errors import REPORT_QUESTION, InternalError
from soid.explanation.divergence import Parting, PartingDocument, parting
from soid.explanation.study import IN_WORDS, UNEXPLORED, StudiedScenario, Study
from soid.formula import build
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
    replayed: tuple[str, str]
    taken: dict[str, JsonValue]
    parting: PartingDocument


@final
class Flip(Struct, frozen=True):
    """Two values of one variable, with all others the same, between which the outcome changes."""

    variable: Variable
    last: StudiedScenario  # on the fact's side
    first: StudiedScenario  # on the scenario's side
    neighbours: bool  # no value lies between them; False for types without an order: labels and Booleans
    nearest: bool  # proved: no value nearer to the fact has the scenario's outcome
    parting: Parting  # where the two diverge

    @property
    def values(self) -> tuple[int, int]:
        """Bits of the last and of the first value."""
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
            replayed=(self.last.witness.replayed, self.first.witness.replayed),
            taken={
                path: json_value(self.last.witness.interface.variable(path).type, self.last.state[path])
                for path in self.last.witness.assumed
            },
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
    """Why there is no flip along a variable, or why none was found."""

    variable: Variable
    reason: str
    settled: bool  # False: the budget ended

    @property
    def document(self) -> NoFlipDocument:
        return NoFlipDocument(self.variable.path, self.reason, self.settled)


def flip(variable: Variable, scenario: StudiedScenario, study: Study) -> Flip | NoFlip:
    """Where the outcome changes while the variable goes from its factual value to the scenario's value."""
    path = variable.path
    back = study.contrary({**scenario.state, path: study.fact[path]}, scenario.happens)
    if study.unknown:
        scenario = study.scenario({**scenario.state, **study.taken(back.state)})
    if UNEXPLORED in (back.happens, scenario.happens):
        return NoFlip(variable, _unsettled(back, scenario), settled=False)
    if back.happens == scenario.happens:
        return NoFlip(variable, "it does the same with the factual value: only the suppositions ask for another", True)
    if isinstance(variable.type, BoolType | EnumType):
        return Flip(variable, back, scenario, False, True, parting(back, scenario, study))
    return _on_the_way(variable, scenario, study)


def _on_the_way(variable: Variable, scenario: StudiedScenario, study: Study) -> Flip | NoFlip:
    path, order = variable.path, variable.order
    fact, there = order.place_of(study.fact[path]), order.place_of(scenario.state[path])
    line = variable.between(min(fact, there), max(fact, there))
    free = {path, *(each.path for each in study.unknown)}
    kept = {other: bits for other, bits in scenario.state.items() if other not in free}
    explored = study.explored(kept, build.and_(line, study.possible))
    goal = [line, explored.where(scenario.happens)]
    model = {variable.symbol: scenario.state[path]}
    deadline = study.asking.deadline
    check = study.for_every_value(explored)
    settled = settle(goal, [variable], {path: study.fact[path]}, model, check, deadline)
    if not settled.complete:
        return NoFlip(variable, "where it flips was not settled in time", settled=False)
    first_place = order.place_of(settled.state[path])
    last_place = first_place + (1 if fact > first_place else -1)
    last = study.contrary({**scenario.state, path: order.value_at(last_place)}, scenario.happens)
    first = study.scenario({**last.state, path: order.value_at(first_place)})
    if UNEXPLORED in (last.happens, first.happens):
        return NoFlip(variable, _unsettled(last, first), settled=False)
    if first.happens != scenario.happens or last.happens == scenario.happens:
        raise InternalError(f"the runs beside the flip of {path} at {settled.state} do not show it", REPORT_QUESTION)
    nearer = variable.between(min(fact, last_place), max(fact, last_place))
    nearest = isinstance(explored.check([nearer, study.possible, explored.encoding.unexplored]), Impossible)
    return Flip(variable, last, first, True, nearest, parting(last, first, study))


def _unsettled(one: StudiedScenario, other: StudiedScenario) -> str:
    return f"what happens beside it is not known: {one.left_open or other.left_open}"
