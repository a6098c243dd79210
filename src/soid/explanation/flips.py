"""Where the outcome flips along one variable: the last value on the fact's side and the first on the scenario's side.

All other variables stay as in the scenario; this one moves from its factual value to the scenario's value. The two
values found are neighbours: no value of the type lies between them. At the first value the outcome is that of the
scenario, at the last value it is not yet; both are run. It is proved that no value nearer to the fact has that outcome.
If some inputs are not known, a value has an outcome if it has it whatever these were. At the last value there are some
for which it does not; both values are run with these.

Where the outcome hangs on what is known between two ends only, such as a sum in an order that is not fixed, the two are
no neighbours: the last value of which the one outcome is proved, and the first of which the other one is. Where not all
between them is settled, they are found by bisection. Between them the program is run (`native_flips.py`).

An input of several steps moves in all of them together. If the log has several values of it there, what was in fact is
no value that it could move from: labels and Booleans flip between what was logged, step by step, and the scenario; a
number moves from the value that was logged in its first step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from msgspec import Struct

from soid.documents import JsonValue
from soid.errors import REPORT_QUESTION, InternalError
from soid.explanation.divergence import Parting, PartingDocument, parting
from soid.explanation.native_flips import flip_in_runs
from soid.explanation.study import IN_WORDS, OCCURS, UNEXPLORED, Explored, StudiedScenario, Study
from soid.formula import build
from soid.formula.checker import Impossible
from soid.program.interface import Variable
from soid.program.types import BoolType, EnumType, json_value, missing_value
from soid.witness.settlement import settle

#: what stands for a value where the log has several
AS_LOGGED: Final = "as logged"

#: why there is no flip: the suppositions ask for another value than the factual one, and nothing else does
SAME: Final = "it does the same with the factual value: only the suppositions ask for another"
SAME_AS_LOGGED: Final = (
    "it does the same with what was logged: only the suppositions ask for one value in all its steps"
)

#: the outcome of the fact, as far as this variable is concerned, is that of the scenario
ALIKE: Final = (SAME, SAME_AS_LOGGED)

_NOT_SETTLED: Final = {True: "where it flips was not settled in time", False: "where it flips is not settled"}


@final
class FlipDocument(Struct, frozen=True):
    """Where an outcome flips, as JSON."""

    variable: str
    last: JsonValue | None
    first: JsonValue
    unit: str
    as_logged: bool
    neighbours: bool
    open_between: bool
    nearest: bool
    happens_at_last: str
    happens_at_first: str
    replayed: tuple[str, str]
    taken: dict[str, JsonValue]
    parting: PartingDocument
    run_last: JsonValue | None = None  # earlier versions did not say
    run_first: JsonValue | None = None


@final
class Flip(Struct, frozen=True):
    """Two values of one variable, with all others the same, between which the outcome changes."""

    variable: Variable
    last: StudiedScenario  # on the fact's side
    first: StudiedScenario  # on the scenario's side
    neighbours: bool  # no value lies between them; False without an order: labels, Booleans, what is missing
    nearest: bool  # proved: no value from the fact to the last has the scenario's outcome
    parting: Parting  # where the two diverge
    as_logged: bool = False  # the last is no value, but what was logged in each of its steps
    open_between: bool = False  # at the values between them the outcome is not settled
    in_runs: tuple[int, int] | None = None  # bits of two neighbours between them, where it flips in runs made here

    @property
    def values(self) -> tuple[int, int]:
        """Bits of the last and of the first value; if the last is none, those of its first step."""
        return self.last.state[self.variable.path], self.first.state[self.variable.path]

    @property
    def shown(self) -> tuple[str, str]:
        """The last and the first, in words."""
        last, first = (self.variable.amount(bits) for bits in self.values)
        return AS_LOGGED if self.as_logged else last, first

    def __str__(self) -> str:
        last, first = self.shown
        return f"{self.variable.path}: {last} | {first}"

    @property
    def document(self) -> FlipDocument:
        last, first = (json_value(self.variable.type, bits) for bits in self.values)
        return FlipDocument(
            variable=self.variable.path,
            last=None if self.as_logged else last,
            first=first,
            unit=self.variable.unit,
            as_logged=self.as_logged,
            neighbours=self.neighbours,
            open_between=self.open_between,
            nearest=self.nearest,
            run_last=None if self.in_runs is None else json_value(self.variable.type, self.in_runs[0]),
            run_first=None if self.in_runs is None else json_value(self.variable.type, self.in_runs[1]),
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
    settled: bool  # False: it is not known where
    out_of_time: bool = False  # more time may settle it

    @property
    def document(self) -> NoFlipDocument:
        return NoFlipDocument(self.variable.path, self.reason, self.settled)


def flip(variable: Variable, scenario: StudiedScenario, study: Study) -> Flip | NoFlip:
    """Where the outcome changes while the variable goes from its factual value to the scenario's value."""
    path, steady = variable.path, study.family.was_one_value(variable)
    back = study.returning(variable).contrary({**scenario.state, path: study.fact[path]}, scenario.happens)
    if study.unknown:
        scenario = study.scenario({**scenario.state, **study.taken(back.state)})
    if UNEXPLORED in (back.happens, scenario.happens):
        return _unsettled(variable, back, scenario)
    if back.happens == scenario.happens:
        return NoFlip(variable, SAME if steady else SAME_AS_LOGGED, settled=True)
    unordered = isinstance(variable.type, BoolType | EnumType)
    if unordered or missing_value(variable.type) in (study.fact[path], scenario.state[path]):
        parted = parting(back, scenario, study.trail, steps=study.query.period.count)
        return Flip(variable, back, scenario, False, True, parted, as_logged=not steady)
    if not steady:
        begun = study.contrary({**scenario.state, path: study.fact[path]}, scenario.happens)
        if begun.happens == UNEXPLORED:
            return _unsettled(variable, begun, begun)
        if begun.happens == scenario.happens:
            return NoFlip(variable, _stays(variable, study), settled=True)
    return _on_the_way(variable, scenario, study)


def _stays(variable: Variable, study: Study) -> str:
    """That a variable matters because it has one value: already with the one that was logged first."""
    begun = variable.amount(study.fact[variable.path])
    return f"as logged it is otherwise; with {begun} in all of these steps, as in the first of them, it is the same"


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
    if not settled.complete and not study.unknown and not study.out_of_time:
        return _bisected(variable, explored, scenario, (fact, there), study)
    if not settled.complete:
        return NoFlip(variable, _NOT_SETTLED[settled.out_of_time], settled=False, out_of_time=settled.out_of_time)
    first_place = order.place_of(settled.state[path])
    last_place = first_place + (1 if fact > first_place else -1)
    last = study.contrary({**scenario.state, path: order.value_at(last_place)}, scenario.happens)
    between = last.happens == UNEXPLORED and not study.unknown
    if between:
        last_place = _last_settled(variable, explored, scenario, (fact, last_place), study)
        last = study.scenario({**scenario.state, path: order.value_at(last_place)})
    first = study.scenario({**last.state, path: order.value_at(first_place)})
    if UNEXPLORED in (last.happens, first.happens):
        return _unsettled(variable, last, first)
    if first.happens != scenario.happens or last.happens == scenario.happens:
        raise InternalError(f"the runs beside the flip of {path} at {settled.state} do not show it", REPORT_QUESTION)
    nearer = variable.between(min(fact, last_place), max(fact, last_place))
    nearest = isinstance(explored.check([nearer, study.possible, explored.encoding.unexplored]), Impossible)
    parted = parting(last, first, study.trail, steps=study.query.period.count)
    native = flip_in_runs(variable, last, first, study) if between else None
    return Flip(variable, last, first, not between, nearest, parted, open_between=between, in_runs=native)


def _bisected(
    variable: Variable, explored: Explored, scenario: StudiedScenario, ends: tuple[int, int], study: Study
) -> Flip | NoFlip:
    """A flip by bisection of states that are run one by one, where it is not settled which is nearest to the fact.

    Of a network the outcome is known at single values, and not in a thin band where it hangs on the last bits.
    """
    path, order = variable.path, variable.order

    def parted(fact: int, there: int, beyond: Callable[[str], bool]) -> tuple[int, int] | None:
        """The last place from the fact on that is not beyond, and the first that is."""
        while abs(there - fact) > 1:
            if study.out_of_time:
                return None
            middle = (fact + there) // 2
            happens = study.happens({**scenario.state, path: order.value_at(middle)})
            fact, there = (fact, middle) if beyond(happens) else (middle, there)
        return fact, there

    sure = parted(*ends, lambda happens: happens == scenario.happens)
    found = (
        None if sure is None else parted(ends[0], sure[1], lambda happens: happens in (scenario.happens, UNEXPLORED))
    )
    if sure is None or found is None:
        return NoFlip(variable, _NOT_SETTLED[True], settled=False, out_of_time=True)
    places = found[0], sure[1]
    last, first = (study.scenario({**scenario.state, path: order.value_at(place)}) for place in places)
    if UNEXPLORED in (last.happens, first.happens):
        return _unsettled(variable, last, first)
    others = [explored.where(what) for what in (OCCURS, *explored.encoding.refutes) if what != scenario.happens]
    nearer = variable.between(min(ends[0], places[0]), max(ends[0], places[0]))
    nearest = isinstance(explored.check([nearer, build.not_(build.any_of(others))]), Impossible)
    beside = abs(places[1] - places[0]) == 1
    ways = parting(last, first, study.trail, steps=study.query.period.count)
    native = None if beside else flip_in_runs(variable, last, first, study)
    return Flip(variable, last, first, beside, nearest, ways, open_between=not beside, in_runs=native)


def _last_settled(
    variable: Variable, explored: Explored, scenario: StudiedScenario, ends: tuple[int, int], study: Study
) -> int:
    """The place nearest to the scenario, between the fact and another one, whose outcome is surely not the scenario's.

    It is the fact's at least. Where a nearer one may be left, because not all was settled, it is as near as was found.
    """
    path, order = variable.path, variable.order
    others = [explored.where(what) for what in (OCCURS, *explored.encoding.refutes) if what != scenario.happens]
    goal = [variable.between(min(ends), max(ends)), build.any_of(others)]
    beside, model = {path: int(order.value_at(ends[1]))}, {variable.symbol: study.fact[path]}
    settled = settle(goal, [variable], beside, model, explored.check, study.asking.witness_deadline())
    return order.place_of(settled.state[path])


def _unsettled(variable: Variable, one: StudiedScenario, other: StudiedScenario) -> NoFlip:
    why = one.left_open or other.left_open
    late = why is not None and why.out_of_time
    return NoFlip(variable, f"what happens beside it is not known: {why}", settled=False, out_of_time=late)
