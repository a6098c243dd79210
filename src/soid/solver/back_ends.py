"""The back ends by name. A solver's package is imported at first use, because the import takes most of the start."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from importlib.util import find_spec
from typing import Final, final

from msgspec import Struct

from soid.errors import SolverMissingError
from soid.solver.incremental_solver import IncrementalSolver
from soid.solver.native import Native


@final
class BackEnd(Struct, frozen=True):
    """One row of the table below."""

    module: str  # of this package: the back end
    native: str  # its class there
    install: str  # its name for pip
    max_depth: int | None  # of terms on an ordinary stack; None: it does not recurse


# Measured with nested Boolean, bit-vector and float terms: on a stack of 8 MB bitwuzla and z3 take 100,000 levels and
# cvc5 dies between 10,000 and 20,000; with a stack of 1 GB, which a worker has, cvc5 takes 100,000 too.
BACK_ENDS: Final[dict[str, BackEnd]] = {
    "bitwuzla": BackEnd("soid.solver.bitwuzla", "BitwuzlaNative", "bitwuzla", None),
    "z3": BackEnd("soid.solver.z3", "Z3Native", "z3-solver", None),
    "cvc5": BackEnd("soid.solver.cvc5", "Cvc5Native", "cvc5", 2_000),
}

#: in order of preference; a solver's Python package has its name
NAMES: Final = tuple(BACK_ENDS)


def require(name: str) -> BackEnd:
    """The back end of this name; a SolverMissingError if there is none, or its package is not installed."""
    back_end = BACK_ENDS.get(name)
    if back_end is None:
        raise SolverMissingError(f"There is no solver called {name!r}.", f"Choose from {', '.join(NAMES)}.")
    if find_spec(name) is None:
        raise SolverMissingError(f"The solver {name} is not installed.", f"Run: pip install {back_end.install}")
    return back_end


def in_process(name: str, *, large_stack: bool = False) -> IncrementalSolver:
    """The back end in this process: quick to ask, but its library may exceed time limits."""
    back_end = require(name)

    def make() -> Native:
        try:
            module = importlib.import_module(back_end.module)
        except ImportError as error:
            raise SolverMissingError(
                f"The solver {name} is installed but cannot be loaded: {error}",
                f"Run: pip install --force-reinstall {back_end.install}",
            ) from error
        native: Callable[[], Native] = getattr(module, back_end.native)
        return native()

    return IncrementalSolver(name, make, None if large_stack else back_end.max_depth)
