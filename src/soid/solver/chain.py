"""What wraps what: the one place that puts a solver together (being written; the signatures are settled)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from soid.solver.protocol import Solver

#: In the order of preference.
NAMES = ("bitwuzla", "z3", "cvc5")


def chain(
    names: Sequence[str] = NAMES,
    *,
    log_folder: Path | None = None,
    cross_check: bool = False,
    easy_seconds: float = 0.5,
) -> Solver:
    """A solver with everything around it."""
    raise NotImplementedError


def available() -> dict[str, str]:
    """The installed solvers and their versions."""
    raise NotImplementedError
