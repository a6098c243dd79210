"""A Trail: the branches of one run through the source, in order.

    guard.c:56  if (road->distance >= safe) {     road.distance 42.97 >= safe 51.76, false    on at line 62
    guard.c:62  if (guard->active) {              guard.active, true                          on at line 63

Two runs of one program have the same trail up to the branch at which they part. If they never part, they differ in
their data only, and `set_at` says where each output got its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

from msgspec import Struct, field

from soid.engine.summary import Location


@final
class BranchDocument(Struct, frozen=True):
    """A branch that a run took, as JSON."""

    file: str | None
    line: int | None
    function: str
    text: str
    condition: str
    side: str
    goes_to: int | None
    step: int  # from 1


#: which way it went where the compiled condition cannot be told: its truth need not be that of the source's
_UNTOLD: Final = {"true": "one way", "false": "the other way"}


def way_told(side: str, condition: str, goes_to: int | None) -> str:
    """Where a run went at a branch, and why.

    >>> way_told("false", "armed", 12), way_told("true", "", 12), way_told("case 3", "mode 3", None)
    ('armed is false, on at line 12', 'one way, on at line 12', 'mode 3: case 3')
    """
    if side in _UNTOLD:
        why = f"{condition} is {side}" if condition else _UNTOLD[side]
    else:
        why = f"{condition}: {side}" if condition else side
    return why if goes_to is None else f"{why}, on at line {goes_to}"


@final
class TakenBranch(Struct, frozen=True):
    """One place at which a run could have gone on elsewhere, and where it went.

    The condition is the compiled one: `if (!armed)` branches on `armed`.
    """

    where: Location | None
    function: str  # as the source names it
    side: str  # `true` or `false`; of a switch the case; of a call through a pointer the function
    condition: str = ""  # what it depended on, in the program's words, as far as can be told
    text: str = ""  # the line of the source; empty where that is not at hand
    goes_to: Location | None = None  # where it went on
    step: int = 0  # the call of the program that it belongs to, from 0

    @property
    def told(self) -> str:
        return way_told(self.side, self.condition, self.goes_to.line if self.goes_to else None)

    @property
    def document(self) -> BranchDocument:
        return BranchDocument(
            file=self.where.file if self.where else None,
            line=self.where.line if self.where else None,
            function=self.function,
            text=self.text,
            condition=self.condition,
            side=self.side,
            goes_to=self.goes_to.line if self.goes_to else None,
            step=self.step + 1,
        )


@final
class Trail(Struct, frozen=True):
    """All branches of one run, in order."""

    branches: tuple[TakenBranch, ...] = ()
    set_at: Mapping[str, Location] = field(default_factory=dict)  # by output: where it was last written, as far as seen
