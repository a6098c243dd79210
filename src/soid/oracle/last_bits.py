"""Both sides of a verdict that hangs on last bits: scenarios with what the program itself gave in them.

Where a library's order of summation is not fixed, what it decides in some scenarios may be the one thing or the other.
Such scenarios are run: one in which the behavior occurred here, and one in which it did not, if both are found. They
settle nothing, for the same library may give the other outcome on another machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from soid.allowance import allowed
from soid.engine.replay import Replayer, Returned
from soid.engine.summary import ConcreteRun, Decided, PathSummary
from soid.errors import CalledOff, LimitError
from soid.formula.build import TRUE
from soid.formula.term import Term
from soid.oracle.confirmation import confirm, witness_of
from soid.oracle.encoding import FactualMoment, concrete_path, truth_on
from soid.oracle.finding import Finding
from soid.oracle.inquiry import Inquiry
from soid.program.interface import Role
from soid.query.query import Query
from soid.scenario.family import Family
from soid.witness.witness import Shows, Witness

_AWAY: Final = tuple(sign << power for power in range(0, 44, 3) for sign in (1, -1))  # places from a scenario
_MOST: Final = 64  # scenarios that are run
_SECONDS: Final = 10.0  # for running them

State = dict[str, int]


def both_sides(
    finding: Finding, query: Query, family: Family, facts: FactualMoment, summary: PathSummary, asking: Inquiry
) -> Finding:
    """The finding with scenarios of both sides, if it is open because numbers are known between two ends only."""
    replayer = asking.context.replayer
    if finding.open_at is None or replayer is None or query.period.count > 1 or query.lives is not None:
        return finding
    if any(variable.role is Role.STATE for variable in family.interface.inputs):  # runs would follow each other
        return finding
    runs = list(_open_runs(finding.open_at, query, family, facts, summary))[:_MOST]
    with asking.stage("replay"):
        given = ran([state for state, _ in runs], replayer, asking)
    sides: dict[Shows, Witness] = {}
    for (state, run), outputs in zip(runs, given, strict=False):
        path = concrete_path(run.path.name, run.path.ending, (outputs,), facts.interface)
        truth = truth_on(path, query.behavior, replace(facts, fixed=state), query.period)
        shows = Shows.EXAMPLE if truth.true is TRUE else Shows.COUNTEREXAMPLE if truth.false is TRUE else None
        if shows is not None and shows not in sides:
            replayed = confirm(run, state, family.interface, asking).replayed  # what it gave is one that it may give
            how = f"{replayed}; another order of summation may give the other outcome"
            native = ConcreteRun(run.path, outputs)
            sides[shows] = witness_of(native, shows, family.interface, facts.inputs, state, how, settled=False)
    shown = [sides[shows] for shows in (Shows.EXAMPLE, Shows.COUNTEREXAMPLE) if shows in sides]
    return replace(finding, witness=shown[0], contrast=(*shown[1:], None)[0]) if shown else finding


def _open_runs(
    model: Mapping[Term, Any], query: Query, family: Family, facts: FactualMoment, summary: PathSummary
) -> Iterator[tuple[State, ConcreteRun]]:
    """A scenario, and others beside it, in which the program decides and it is not known what."""
    start = {**family.given, **{variable.path: int(model[variable.symbol]) for variable in family.varying}}
    for state in (start, *_beside(start, family)):
        if not family.contains(state):
            continue
        run = summary.run({variable.symbol: state[variable.path] for variable in family.varying})
        if not isinstance(run.path.ending, Decided) or not any(run.kept):
            continue
        path = concrete_path(run.path.name, run.path.ending, (run.outputs,), facts.interface, run.between)
        truth = truth_on(path, query.behavior, replace(facts, fixed=state), query.period)
        if TRUE not in (truth.true, truth.false):
            yield {each.path: state[each.path] for each in family.interface.inputs}, run


def _beside(start: State, family: Family) -> Iterator[State]:
    for away in _AWAY:
        for variable in family.varying:
            first, last = variable.order.places
            place = variable.order.place_of(start[variable.path]) + away
            if first <= place <= last:
                yield {**start, variable.path: int(variable.order.value_at(place))}


def ran(states: Sequence[State], replayer: Replayer, asking: Inquiry) -> list[Mapping[str, int]]:
    """What the program gave in each scenario; nothing if it was not run. They are rows of one run of the library."""
    if not states:
        return []
    left = asking.deadline.seconds_left
    try:
        seconds = _SECONDS if left is None else max(1.0, min(_SECONDS, left))
        with allowed(seconds=seconds, cancel=asking.context.cancel, memory=asking.context.settings.memory):
            replay = replayer.replay(states[0], states[1:])
    except (LimitError, CalledOff):
        return []
    return [*replay.earlier, replay.outputs] if isinstance(replay, Returned) else []
