"""Pairs that lie close together and are decided otherwise."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from soid.case.project import Project
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import Settings
from soid.oracle.near_pairs import State, brought_together, drawn_together, is_moved
from soid.program.interface import Role, Variable
from soid.program.types import IntType

NUMBER = IntType(32, signed=True)
X, OTHER = (Variable(path, Role.ENVIRONMENT, NUMBER) for path in ("x", "other.x"))
TWINS = [(X, OTHER)]


def pair(x: int, other: int) -> State:
    return {"x": x & 0xFFFFFFFF, "other.x": other & 0xFFFFFFFF, "y": 7}


def numbers(state: State) -> tuple[int, int]:
    return tuple(X.order.place_of(state[each]) for each in ("x", "other.x"))  # type: ignore[return-value]


def distance(state: State) -> int:
    one, other = numbers(state)
    return abs(one - other)


@pytest.mark.parametrize("border", [-40, 1, 100, 8199])
@pytest.mark.parametrize("apart", [1, 3])
@pytest.mark.parametrize("start", [(-50, 9_000), (9_000, -50), (-50, 8_200)])
def test_two_lives_meet_at_a_border(border: int, apart: int, start: tuple[int, int]) -> None:
    def settles(state: State) -> bool:
        one, other = numbers(state)
        return (one >= border) is not (other >= border)

    found = brought_together(pair(*start), TWINS, lambda state: distance(state) <= apart, settles)
    assert found is not None and settles(found) and distance(found) <= apart and found["y"] == 7
    assert (start[0] < start[1]) is (numbers(found)[0] < numbers(found)[1]), "what rises still rises"


def test_where_nothing_lies_in_between_nothing_is_found() -> None:
    def only_far(state: State) -> bool:
        return distance(state) > 100

    assert brought_together(pair(0, 5_000), TWINS, lambda state: distance(state) <= 1, only_far) is None


def test_a_second_life_is_drawn_near_and_stays_a_number() -> None:
    luck, places = Random(0), X.order.places
    found = [drawn_together(pair(places[1] - 1, 0), TWINS, luck) for _ in range(200)]
    assert min(map(distance, found)) <= 1 and max(map(distance, found)) > 1 << 20
    assert all(places[0] <= numbers(each)[1] <= places[1] for each in found)
    assert not is_moved(pair(3, 3), TWINS) and is_moved(pair(3, 4), TWINS)


SOURCE = """
int decide(double a, double b, double c, double d) { return a * b + c * a - d * b > c * d - a * 0.7 + 3.3; }
"""
MANIFEST = """
[program]
engine = "c"
sources = ["border.c"]
entry = "decide"
[trace]
file = "log.jsonl"
[variables]
"""


def test_a_little_matters_somewhere(tmp_path: Path) -> None:
    """Random pairs that are so near to each other do not lie on both sides of a border, and a solver takes long."""
    (tmp_path / "border.c").write_text(SOURCE)
    names = "abcd"
    variables = "".join(f"{name} = {{ domain = [-100.0, 100.0] }}\n" for name in names)
    (tmp_path / "soid.toml").write_text(MANIFEST + variables)
    (tmp_path / "log.jsonl").write_text('{"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0, "return": 0}\n')
    project = Project.open(tmp_path, settings=Settings(witness_seconds=0.0, replay="off"))
    asked = "would return be the same if a differs by at most 0.000001, for every case"
    found = project.ask(asked)
    assert found.verdict is Verdict.NO and found.witness is not None
    assert found.witness.outputs["return"] != found.witness.outputs["other.return"]
