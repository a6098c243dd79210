"""Where the ways of two states through the program part."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import final

from msgspec import Struct, field

from soid.engine.summary import Location
from soid.engine.trail import BranchDocument, TakenBranch, Trail
from soid.explanation.study import StudiedScenario, Study


@final
class At(Enum):
    """What it is that parts them."""

    BRANCH = "branch"  # they take different sides of one branch
    END = "end"  # one of them ends, by failing or for lack of time, where the other goes on
    DATA = "data"  # nothing does: they take the same way, and only their values differ
    PATHS = "paths"  # different paths; which branch parts them cannot be told without a source


@final
class PartingDocument(Struct, frozen=True):
    """Where two ways part, as JSON."""

    at: At
    branch: list[BranchDocument | None]
    endings: tuple[str, str]
    paths: tuple[str, str]
    set_at: dict[str, str]


@final
class Parting(Struct, frozen=True):
    """Where the way of one state (the fact, or a scenario) and that of another part."""

    at: At
    one: TakenBranch | None = None  # the branch and the side that the one takes
    other: TakenBranch | None = None
    endings: tuple[str, str] = ("", "")  # how the two end, in words
    paths: tuple[str, str] = ("", "")  # the names of their paths
    set_at: Mapping[str, Location] = field(default_factory=dict)  # of outputs that differ: where they got their values

    @property
    def branch(self) -> TakenBranch | None:
        """The branch, whoever of the two passes it."""
        return self.one or self.other

    @property
    def document(self) -> PartingDocument:
        branches = [each.document if each else None for each in (self.one, self.other)]
        set_at = {name: str(where) for name, where in self.set_at.items()}
        return PartingDocument(self.at, branches, self.endings, self.paths, set_at)


def parting(one: StudiedScenario, other: StudiedScenario, study: Study) -> Parting:
    """Where two states part ways."""
    trails = study.trail(one.state), study.trail(other.state)
    endings = str(one.witness.ending), str(other.witness.ending)
    paths = one.witness.path, other.witness.path
    if trails[0] is None or trails[1] is None:
        return Parting(At.DATA if paths[0] == paths[1] else At.PATHS, endings=endings, paths=paths)
    branches = _parted(trails[0], trails[1])
    if branches is not None:
        both = None not in branches
        return Parting(At.BRANCH if both else At.END, *branches, endings=endings)
    if endings[0] != endings[1]:
        return Parting(At.END, endings=endings)
    return Parting(At.DATA, endings=endings, set_at=_set_at(one, other, trails[1]))


def _parted(one: Trail, other: Trail) -> tuple[TakenBranch | None, TakenBranch | None] | None:
    """The first branches that differ; None on the side of a run that has come to its end."""
    for mine, theirs in zip(one.branches, other.branches, strict=False):
        if (mine.where, mine.function, mine.side, mine.step) != (
            theirs.where,
            theirs.function,
            theirs.side,
            theirs.step,
        ):
            return mine, theirs
    common = min(len(one.branches), len(other.branches))
    if len(one.branches) == len(other.branches):
        return None
    return one.branches[common] if len(one.branches) > common else None, (
        other.branches[common] if len(other.branches) > common else None
    )


def _set_at(one: StudiedScenario, other: StudiedScenario, trail: Trail) -> dict[str, Location]:
    outputs = other.witness.outputs
    differ = [name for name, bits in outputs.items() if one.witness.outputs.get(name) != bits]
    return {name: trail.set_at[name] for name in differ if name in trail.set_at}
