"""Pairs that lie close together and are decided otherwise: they are found between pairs that lie far apart.

    would approve be the same if amount differs by at most 1 %

    amount 500 and 50000       one is approved, the other is not, and they are no scenario
    amount 500 and 5000        both are approved: then 5000 and 50000 are decided otherwise
    ...
    amount 8199 and 8200       a scenario

Few pairs of such a question are next to a border of the program, and random ones hardly ever are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from soid.program.interface import Interface, Variable
from soid.program.types import FloatType, IntType
from soid.query.lives import other_life

State = dict[str, int]  # bits by path
Twins = tuple[Variable, Variable]


def numeric_twins(interface: Interface, varying: Sequence[Variable]) -> list[Twins]:
    """The numbers in which two lives differ: each with what it is in the second life."""
    life = other_life(interface)
    seconds = {variable.path: variable for variable in varying if isinstance(variable.type, IntType | FloatType)}
    pairs = ((variable, seconds.get(f"{life}.{variable.path}")) for variable in varying)
    return [(one, other) for one, other in pairs if other is not None]


def brought_together(
    state: State, twins: Sequence[Twins], is_scenario: Callable[[State], bool], settles: Callable[[State], bool]
) -> State | None:
    """A scenario that settles a question, from a pair that settles it and is none; None if none lies in between."""
    while not is_scenario(state):
        middles = {one.path: _middle(one, state[one.path], state[other.path]) for one, other in twins}
        nearer = ({**state, **{other.path: middles[one.path] for one, other in twins}}, {**state, **middles})
        found = next((each for each in nearer if each != state and settles(each)), None)
        if found is None:
            return None
        state = found
    return state


def drawn_together(state: State, twins: Sequence[Twins], luck: Random) -> State:
    """A pair whose first life is that of another pair, and whose second one lies near to it, at a random distance."""
    found = dict(state)
    for one, other in twins:
        low, high = one.order.places
        distance = luck.choice((1, -1)) * luck.getrandbits(luck.randint(1, one.type.width))
        place = one.order.place_of(state[one.path]) + distance
        found[other.path] = int(one.order.value_at(min(max(place, low), high)))
    return found


def _middle(variable: Variable, one: int, other: int) -> int:
    order = variable.order
    return int(order.value_at((order.place_of(one) + order.place_of(other)) // 2))


def is_moved(state: Mapping[str, int], twins: Sequence[Twins]) -> bool:
    """Whether the lives differ in some number."""
    return any(state[one.path] != state[other.path] for one, other in twins)
