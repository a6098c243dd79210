"""A case with answers that are settled in part: boxes settle small speeds, and the solver settles nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Final, final

from msgspec.structs import replace

from soid.budget import Cancellation
from soid.case.case import Case
from soid.case.project import Project
from soid.oracle.inquiry import Settings
from soid.recipe import SOID
from soid.solver.protocol import UNLIMITED, Budget, Reason, Result, Unknown

#: both sides are the same but for roundings, which only small boxes show
_SOURCE = "int f(float x, float y) { return x * x - y * y > (x + y) * (x - y) + 20.0f; }\n"
_MANIFEST = """\
[program]
name = "apart"
engine = "c"
sources = ["p.c"]
entry = "f"
[trace]
file = "log.jsonl"
[variables]
x = { label = "the speed", unit = "m/s" }
y = { label = "the gap", unit = "m" }
"""
HALF_SETTLED = "might return == 1 if 0.0 <= x <= 500.0"
HARDLY_SETTLED = "might return == 1 if 0.0 <= x <= 60.0 and 0.0 <= y <= 60.0"  # in minutes it is not settled


_SETTINGS: Final = Settings(seconds=3.0, recipe=SOID.without("runs"))  # enough for boxes, however busy the machine is


@final
class GivesUp:
    """A solver that settles nothing."""

    name = "gives up"

    def check(self, conjuncts: object, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        return Unknown(Reason.TIME, "it gave up")

    def close(self) -> None:
        """It holds nothing."""


def half_settled(file: Path, folder: Path) -> None:
    """A case in this file whose entry 3 is such an answer, and entry 5 one that may be open as a whole."""
    _write(folder)
    with Case.create(file, folder, solver=GivesUp(), who="ada") as case:
        case.settings = _SETTINGS  # from now on: reading the program may take longer
        case.ask(HALF_SETTLED)
        case.settings = replace(_SETTINGS, seconds=0.5)
        case.ask(HARDLY_SETTLED)


def half_settled_project(folder: Path) -> Project:
    """The project of such a case, asked with the same solver and time."""
    _write(folder)
    return replace(Project.open(folder, solver=GivesUp()), settings=_SETTINGS)


def _write(folder: Path) -> None:
    (folder / "p.c").write_text(_SOURCE)
    (folder / "soid.toml").write_text(_MANIFEST)
    (folder / "log.jsonl").write_text('{"x": 1.0, "y": 2.0, "return": 0}\n')
