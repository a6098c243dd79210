"""The four ways in which running a path stops before its entry returns, as exceptions: they leave nested handlers."""

from __future__ import annotations

from soid.engine.summary import Ending, Location


class PathEnd(Exception):
    """The path ends here, as the ending says."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(str(ending))
        self.ending = ending


class NotModelled(Exception):
    """The path meets something that the engine has no model of; its states count as unexplored."""

    def __init__(self, what: str, where: Location | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where


class FoldedAway(Exception):
    """The path uses poison that the compiler wrote in place of an operation without a value."""


class Infeasible(Exception):
    """No input satisfies the path condition; states that left the path before have been recorded."""
