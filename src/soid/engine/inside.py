"""Symbolic states inside a program: where its paths are at calls, at rounds of loops and at returns.

    respond(...)                        0  calls safe_distance    vr 28.7   vf 27.5
      safe = safe_distance(...)         1  safe_distance returns  52.3
      if (distance >= safe) return;     2  respond returns        where distance >= 52.3
      ...                               3  respond returns        where distance < 52.3

A state is visited under its path condition, and under that alone. Each path goes through a chain of them; paths share
the states before they part.
"""

from __future__ import annotations

from enum import Enum
from typing import assert_never, final

from msgspec import Struct

from soid.engine.summary import Location, OutputValue
from soid.formula.term import Term
from soid.program.interface import Variable


@final
class PointKind(Enum):
    """What a path does at a point."""

    CALL = "call"
    ROUND = "round"
    RETURN = "return"


@final
class ProgramPoint(Struct, frozen=True):
    """Where in the program a path is, and for which time: the same of two questions, if both come there."""

    kind: PointKind
    function: str  # as the source has it
    where: Location | None
    time: int  # for the so many-th time on its way, from 1
    round: int = 0  # of a loop: which one of this call, from 1

    def __str__(self) -> str:
        match self.kind:
            case PointKind.CALL:
                return f"{self.function} is called"
            case PointKind.ROUND:
                return f"{self.function} begins round {self.round} of a loop"
            case PointKind.RETURN:
                return f"{self.function} returns"
            case _ as unreachable:
                assert_never(unreachable)


@final
class InsideState(Struct, frozen=True):
    """The states of a program's inputs for which a path comes to a point, and what the named values are there."""

    before: int | None  # the state before it on its way, by its place among all; None: the path begins with it
    step: int  # calls of the program before this one
    point: ProgramPoint
    condition: Term  # over the symbols of inputs: the path condition
    values: tuple[tuple[Variable, OutputValue], ...]  # of locals and parameters, and the returned value


@final
class Inside(Struct, frozen=True):
    """The symbolic states of one exploration, and where each of its paths ends."""

    states: tuple[InsideState, ...]
    ends: tuple[int | None, ...]  # of each path in the summary's order: the last state on its way
    open: str = ""  # why there may be more; empty: these are all that paths come to
