"""Where an outcome flips in runs of the program itself, between two values at which it is proved what it does.

Of a network the outcome is not settled in a thin band: it hangs on the last bits of sums whose order is not fixed.
There the program is run, at many values at once, until two neighbours are left. That is no proof: the flip is one of
this machine's runs, and need not be the only one.

    proved: at 0.7499998 LEFT, at 0.7500002 RIGHT        run: at 0.75 LEFT, at 0.75000006 RIGHT
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from soid.engine.summary import Decided
from soid.explanation.study import StudiedScenario, Study
from soid.formula.build import TRUE
from soid.oracle.encoding import FactualMoment, concrete_path, truth_on
from soid.oracle.last_bits import ran
from soid.program.interface import Role, Variable

_AT_ONCE: Final = 62  # values between two


def flip_in_runs(
    variable: Variable, last: StudiedScenario, first: StudiedScenario, study: Study
) -> tuple[int, int] | None:
    """Bits of two neighbours between which the outcome changes where the program is run; None if that is not found."""
    order, path = variable.order, variable.path
    below, above = (order.place_of(each.state[path]) for each in (last, first))
    while abs(above - below) > 1:
        count = min(_AT_ONCE, abs(above - below) - 1)
        places = [below + (above - below) * step // (count + 1) for step in range(count + 2)]
        states = [{**first.state, path: int(order.value_at(place))} for place in places]
        found = _occurs(states, first, study)
        if len(found) < len(places) or None in found or found[0] is found[-1]:
            return None
        parted = next(place for place in range(1, len(found)) if found[place] is not found[0])
        below, above = places[parted - 1], places[parted]
    return int(order.value_at(below)), int(order.value_at(above))


def _occurs(states: Sequence[dict[str, int]], like: StudiedScenario, study: Study) -> list[bool | None]:
    """Whether the behavior occurs in runs of some states; None where its outcome is none of these two."""
    query, interface, replayer = study.query, study.interface, study.asking.context.replayer
    several = query.period.count > 1 or query.lives is not None or study.unknown
    if replayer is None or several or study.out_of_time or not isinstance(like.witness.ending, Decided):
        return []
    if any(each.role is Role.STATE for each in interface.inputs):  # runs would follow each other
        return []
    found: list[bool | None] = []
    for state, outputs in zip(states, ran(states, replayer, study.asking), strict=False):
        taken = concrete_path("run", like.witness.ending, (outputs,), interface)
        facts = FactualMoment(interface, study.fact, study.answer.fact, state)
        truth = truth_on(taken, query.behavior, facts, query.period)
        found.append(True if truth.true is TRUE else False if truth.false is TRUE else None)
    return found
