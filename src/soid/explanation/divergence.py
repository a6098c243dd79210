"""The point at which the paths of two states through the program diverge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from itertools import zip_longest
from typing import final

from msgspec import Struct, field

from soid.engine.summary import Location
from soid.engine.trail import BranchDocument, TakenBranch, Trail
from soid.explanation.study import StudiedScenario


@final
class At(Enum):
    """The kind of divergence."""

    BRANCH = "branch"  # they take different sides of one branch
    END = "end"  # one of them ends, by failing or for lack of time, where the other goes on
    DATA = "data"  # they take the same path, and only their values differ
    PATHS = "paths"  # they take different paths, and without a source the branch is not known


@final
class PartingDocument(Struct, frozen=True):
    """Where two states diverge, as JSON."""

    at: At
    branch: list[BranchDocument | None]
    endings: tuple[str, str]
    paths: tuple[str, str]
    set_at: dict[str, str]
    differ_in: int | None


@final
class Parting(Struct, frozen=True):
    """Where two states (the fact or a scenario, and another scenario) diverge."""

    at: At
    one: TakenBranch | None = None  # the branch and its side that the first state takes
    other: TakenBranch | None = None  # the same of the second state
    endings: tuple[str, str] = ("", "")  # how the two end, in words
    paths: tuple[str, str] = ("", "")  # the names of their paths
    set_at: Mapping[str, Location] = field(default_factory=dict)  # where the outputs that differ got their values
    differ_in: int | None = None  # over several steps: the first whose outputs differ, from 0; None: none does

    @property
    def branch(self) -> TakenBranch | None:
        """The branch, from the state that reaches it."""
        return self.one or self.other

    @property
    def document(self) -> PartingDocument:
        branches = [each.document if each else None for each in (self.one, self.other)]
        set_at = {name: str(where) for name, where in self.set_at.items()}
        differ_in = None if self.differ_in is None else self.differ_in + 1
        return PartingDocument(self.at, branches, self.endings, self.paths, set_at, differ_in)


#: the branches that a state takes in the source, if there is a source
TrailOf = Callable[[StudiedScenario], Trail | None]


def parting(one: StudiedScenario, other: StudiedScenario, trail: TrailOf, *, steps: int) -> Parting:
    """Where two states part in so many steps."""
    trails = trail(one), trail(other)
    endings = str(one.witness.ending), str(other.witness.ending)
    paths = one.witness.path, other.witness.path
    differ_in = _differ_in(one, other) if steps > 1 else None
    if trails[0] is None or trails[1] is None:
        at = At.DATA if paths[0] == paths[1] else At.PATHS
        return Parting(at, endings=endings, paths=paths, differ_in=differ_in)
    branches = _parted(trails[0], trails[1])
    if branches is not None:
        both = None not in branches
        return Parting(At.BRANCH if both else At.END, *branches, endings=endings, differ_in=differ_in)
    if endings[0] != endings[1]:
        return Parting(At.END, endings=endings, differ_in=differ_in)
    return Parting(At.DATA, endings=endings, set_at=_set_at(one, other, trails[1]), differ_in=differ_in)


def _differ_in(one: StudiedScenario, other: StudiedScenario) -> int | None:
    """The first step whose outputs differ; one that only one of them reaches does."""
    pairs = enumerate(zip_longest(one.witness.steps, other.witness.steps))
    return next((step for step, (mine, theirs) in pairs if mine != theirs), None)


def _parted(one: Trail, other: Trail) -> tuple[TakenBranch | None, TakenBranch | None] | None:
    """The first branches that differ; None for a run that has ended before. None: all branches are the same."""
    for mine, theirs in zip_longest(one.branches, other.branches):
        if mine is None or theirs is None or _taken(mine) != _taken(theirs):
            return mine, theirs
    return None


def _taken(branch: TakenBranch) -> tuple[object, ...]:
    return branch.where, branch.function, branch.side, branch.step


def _set_at(one: StudiedScenario, other: StudiedScenario, trail: Trail) -> dict[str, Location]:
    outputs = other.witness.outputs
    differ = [name for name, bits in outputs.items() if one.witness.outputs.get(name) != bits]
    return {name: trail.set_at[name] for name in differ if name in trail.set_at}
