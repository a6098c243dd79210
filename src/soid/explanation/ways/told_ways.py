"""What is told of the ways of the fact and of a scenario through a program, as data that a worker gives to a page."""

from __future__ import annotations

from typing import final

from msgspec import Struct

from soid.oracle.answer import Answer
from soid.witness.witness import Shows


@final
class Turn(Struct, frozen=True):
    """A test on a way."""

    test: str  # "the age is at most 28.5 years"
    holds: bool


@final
class TreeWay(Struct, frozen=True):
    """One tree in which the two part."""

    number: int  # from 1
    shared: tuple[Turn, ...]  # the tests that go the same way
    test: str  # the one at which they part
    holds: tuple[bool, bool]  # whether it does: in fact, in the scenario
    fact: tuple[Turn, ...]  # the tests after that
    scenario: tuple[Turn, ...]
    leaves: tuple[float, float]  # what the tree adds

    @property
    def moved(self) -> float:
        return self.leaves[1] - self.leaves[0]


@final
class TreeWays(Struct, frozen=True, tag="trees"):
    """The trees in which the two part."""

    trees: tuple[TreeWay, ...]  # the first few
    parted: int  # how many they are
    count: int  # of all trees
    sums: tuple[float, float]  # in fact, in the scenario
    rest: float  # by how much those that are not told move the sum


@final
class WayRow(Struct, frozen=True):
    """A place at which the two differ."""

    where: str  # "guard.c:56"; of a path its name
    text: str  # the line of the source, or the condition
    fact: str  # which way it took there; empty: it did not come there
    scenario: str
    alike: int = 0  # branches before it, since the last row, at which both went the same way


@final
class BranchWays(Struct, frozen=True, tag="branches"):
    """The places at which two runs differ, in order."""

    rows: tuple[WayRow, ...]
    alike: int  # branches after the last row at which both went the same way
    more: int = 0  # further rows
    is_cut: bool = False  # whether only the first branches of long runs were compared


BothWays = TreeWays | BranchWays


def has_ways(answer: Answer) -> bool:
    """Whether an answer shows a scenario beside the fact."""
    return answer.witness is not None and answer.witness.shows is not Shows.FACT and answer.query.lives is None
