"""What is proposed as settled has no open state, and what is proposed as open has all of them."""

from __future__ import annotations

from random import Random

import pytest

from soid.formula import build
from soid.formula.interval_program import Box
from soid.formula.passes import flatten_and
from soid.formula.sorts import FLOAT16
from soid.formula.term import Term
from soid.oracle.narrower_families import open_part, settled_part
from soid.oracle.settled_share import NarrowedSide
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType
from soid.query.language.query_parser import parse_suppositions
from soid.scenario.family import Family
from soid.solver.box_cutter import BoxCutter, ExclusionGoal
from soid.solver.paving import Paving, reopened

SPEED = Variable("car.speed", Role.ENVIRONMENT, FloatType(FLOAT16), unit="m/s")
GAP = Variable("gap", Role.ENVIRONMENT, IntType(6, True))
SIGNAL = Variable("signal", Role.ENVIRONMENT, EnumType("signal", 2, False, (("LEFT", 0), ("RIGHT", 1), ("NONE", 3))))
NEAR = Variable("near", Role.ENVIRONMENT, BoolType())
INTERFACE = Interface((SPEED, GAP, SIGNAL, NEAR))
FACT = {"car.speed": 0x4500, "gap": 1, "signal": 3, "near": 0}

FAMILIES = [
    "car.speed is anything",
    "-2.0 <= car.speed <= 40.0",
    "0.0 <= car.speed <= 1.0 and gap is anything",
    "gap is anything and near is anything",
    "signal is anything and 0.5 <= car.speed <= 3.0 and near is anything",
    "car.speed is any bits",
    "signal is any bits",
    "signal is any bits and gap is anything",
]


def paved(text: str, random: Random) -> tuple[Family, BoxCutter, Paving]:
    family = Family(INTERFACE, FACT, parse_suppositions(text, INTERFACE))
    symbols = [variable.symbol for variable in family.varying]
    within = flatten_and(family.scenarios)
    shows = build.any_of(_used(variable) for variable in family.varying)
    cutter = BoxCutter.of(within, ExclusionGoal(shows), symbols)
    whole = cutter and cutter.whole()
    assert cutter is not None and whole is not None
    boxes = [(_part(whole.box, random), True) for _ in range(random.randrange(1, 5))]
    paving = reopened(cutter, boxes)
    assert paving is not None
    return family, cutter, paving


def _used(variable: Variable) -> Term:
    """A condition that reads a variable as the program would, so that its values have their order."""
    return variable.order.between(variable.symbol, *variable.order.places[:1] * 2)


def _part(whole: Box, random: Random) -> Box:
    sides = []
    for low, high in whole:
        first = random.randint(low, high)
        sides.append((first, min(high, first + random.choice((0, 1, 3, (high - low) // 5)))))
    return tuple(sides)


def states(family: Family, paving: Paving, cutter: BoxCutter, random: Random) -> list[dict[str, int]]:
    """States of the family: near the ends of the boxes, near zero and anywhere."""
    whole = cutter.whole()
    assert whole is not None
    found = []
    for _ in range(1_500):
        state = dict(FACT)
        for at, variable in enumerate(family.varying):
            low, high = whole.box[at]
            edges = [end for piece in paving.open for end in piece.box[at]] + [low, high, 0, -1]
            near = random.choice(edges) + random.randint(-2, 2)
            place = min(max(random.choice((near, random.randint(low, high))), low), high)
            state[variable.path] = int(cutter.variables[at].order.value_at(place))
        if family.contains(state):
            found.append(state)
    return found


def is_open(state: dict[str, int], family: Family, cutter: BoxCutter, paving: Paving) -> bool:
    at = [places.order.place_of(state[v.path]) for v, places in zip(family.varying, cutter.variables, strict=True)]
    return any(all(low <= p <= high for p, (low, high) in zip(at, piece.box, strict=True)) for piece in paving.open)


def narrower(family: Family, sides: tuple[NarrowedSide, ...]) -> Family:
    text = " and ".join(side.text for side in sides)
    return Family(INTERFACE, FACT, (*family.suppositions, *parse_suppositions(text, INTERFACE)))


@pytest.mark.parametrize("text", FAMILIES)
@pytest.mark.parametrize("seed", range(12))
def test_a_settled_part_has_nothing_open_and_an_open_part_has_all_of_it(text: str, seed: int) -> None:
    random = Random(seed)
    family, cutter, paving = paved(text, random)
    tried = states(family, paving, cutter, random)
    settled, opened = (part(paving, cutter, family.varying) for part in (settled_part, open_part))
    if settled:
        inside = narrower(family, settled)
        assert inside.scenarios
        members = [state for state in tried if inside.contains(state)]
        assert not any(is_open(state, family, cutter, paving) for state in members)
    if opened:
        around = narrower(family, opened)
        for state in tried:
            assert around.contains(state) or not is_open(state, family, cutter, paving)


def test_most_families_with_little_open_have_a_settled_part() -> None:
    found = 0
    for seed in range(20):
        _, cutter, paving = paved("-2.0 <= car.speed <= 40.0", Random(seed))
        family = Family(INTERFACE, FACT, parse_suppositions("-2.0 <= car.speed <= 40.0", INTERFACE))
        found += bool(settled_part(paving, cutter, family.varying))
    assert found >= 18


def test_ends_are_round_numbers() -> None:
    _, cutter, _ = paved("0.0 <= car.speed <= 40.0", Random(0))
    order = cutter.variables[0].order
    low, high = (order.place_of(bits) for bits in (0x4FCD, 0x5100))  # 31.2, 40
    paving = reopened(cutter, [(((low, high),), True)])
    assert paving is not None
    assert [side.text for side in settled_part(paving, cutter, (SPEED,))] == ["0.0 <= car.speed <= 31.0"]
    assert [side.text for side in open_part(paving, cutter, (SPEED,))] == ["31.2 <= car.speed <= 40.0"]
