"""The solver chain: this module alone says which layer wraps which.

Outermost first; each layer asks the next one only the questions that it does not settle itself:

    LoggingSolver      (on request) writes each question as an .smt2 file
    ConstantFolder     constants, contradictions, equalities that fix every variable
    IndependentSolver  groups of conditions that share no variable, each by itself
    QueryCache         questions asked before
    ModelCache         a recent model still holds
    ValidatingSolver   evaluates every model
    BoxSplitter        branch and bound over few variables, with few boxes
    EscalatingSolver   bitwuzla in this process, briefly; not for products, quotients and roots of floats that vary
    BoxSplitter        more variables, many boxes
    MonotoneLemmas     adds that rounded sums and products rise with their arguments
    EscalatingSolver   bitwuzla for longer
    FormSplitter       boxes by affine forms, for many sums of products
    Race               all solvers, in processes that can be killed

With `cross_check`, a CrossCheckingSolver replaces the last seven: all solvers, each in its process, must agree. A
recipe can switch off ConstantFolder, IndependentSolver, both caches and boxes, but never ValidatingSolver.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, final

from soid.errors import SolverMissingError
from soid.recipe import Mechanisms
from soid.solver.back_ends import BACK_ENDS, NAMES, in_process, require
from soid.solver.box_splitter import MANY, BoxSplitter, FormSplitter
from soid.solver.constant_folder import ConstantFolder
from soid.solver.cross_check import CrossCheckingSolver
from soid.solver.escalation import EscalatingSolver, entangles
from soid.solver.independence import IndependentSolver
from soid.solver.model_cache import ModelCache
from soid.solver.model_validation import ValidatingSolver
from soid.solver.monotone_lemmas import MonotoneLemmas
from soid.solver.protocol import Solver
from soid.solver.query_cache import QueryCache
from soid.solver.solver_process import Race, SolverProcess
from soid.solver.statistics import CountingSolver, Statistics

__all__ = ["NAMES", "Chain", "available", "chain"]

#: The only solver that keeps its time limit well enough to run in this process.
_PUNCTUAL: Final = "bitwuzla"

#: Its seconds before many boxes are tried.
_BRIEFLY: Final = 0.1

#: Its seconds before the race.
_LONGER: Final = 0.5

#: Seconds that the first solver of a race runs alone: a question that is only large is done before the others start.
_HEAD_START: Final = 1.0


def chain(
    names: Sequence[str] = NAMES,
    *,
    log_folder: Path | None = None,
    cross_check: bool = False,
    mechanisms: Mechanisms | None = None,
) -> Chain:
    """A solver with all its layers.

    `mechanisms` switches layers off, by default none. Nothing is loaded or started before the first question that
    needs it.
    """
    if not names:
        raise SolverMissingError("No solver was named.", f"Name one or more of {', '.join(NAMES)}.")
    for name in names:
        require(name)
    statistics = Statistics()
    processes = [SolverProcess(name) for name in dict.fromkeys(names)]
    chosen = mechanisms or Mechanisms()
    solver: Solver
    if cross_check:
        solver = _checked(processes, statistics)
    else:
        solver = _raced(processes, statistics, chosen)
        if chosen.boxes:
            solver = BoxSplitter(solver, statistics.boxes)
    solver = ValidatingSolver(solver)
    if chosen.model_reuse:
        solver = ModelCache(solver)
    if chosen.cache:
        solver = QueryCache(solver)
    if chosen.apart:
        solver = IndependentSolver(solver)
    if chosen.folding:
        solver = ConstantFolder(solver)
    if log_folder is not None:
        from soid.solver.query_log import LoggingSolver  # loads the SMT-LIB writer, which is not needed otherwise

        solver = LoggingSolver(solver, log_folder)
    return Chain(solver, statistics)


def _raced(processes: Sequence[SolverProcess], statistics: Statistics, chosen: Mechanisms) -> Solver:
    race = Race(processes, _HEAD_START)
    hard: Solver = CountingSolver(race, statistics.of(race.name))
    if chosen.boxes:
        hard = FormSplitter(hard, statistics.boxes)
    easy = None
    if _PUNCTUAL in {process.name for process in processes}:
        easy = CountingSolver(in_process(_PUNCTUAL), statistics.of(_PUNCTUAL))
        hard = EscalatingSolver(easy, hard, _LONGER)
    if chosen.monotone:
        hard = MonotoneLemmas(hard)
    if chosen.boxes:
        hard = BoxSplitter(hard, statistics.boxes, MANY)
    return EscalatingSolver(easy, hard, _BRIEFLY, entangles) if easy is not None and chosen.boxes else hard


def _checked(processes: Sequence[SolverProcess], statistics: Statistics) -> Solver:
    if len(processes) < 2:
        raise SolverMissingError("One solver cannot be cross-checked.", f"Name two or more of {', '.join(NAMES)}.")
    # Each model is evaluated before answers are compared, so that a wrong model is not taken for a disagreement.
    return CrossCheckingSolver(
        [ValidatingSolver(CountingSolver(process, statistics.of(process.name))) for process in processes]
    )


def available() -> dict[str, str]:
    """The installed solvers and their versions, in order of preference; loads none of them."""
    from importlib import metadata  # slow to import, and no question needs it

    found = {}
    for name, back_end in BACK_ENDS.items():
        try:
            require(name)
            found[name] = metadata.version(back_end.install)
        except (SolverMissingError, metadata.PackageNotFoundError):
            continue
    return found


@final
class Chain(CountingSolver):
    """The outermost layer, with the statistics of all layers."""

    def __init__(self, inner: Solver, statistics: Statistics) -> None:
        super().__init__(inner, statistics.questions)
        self.statistics = statistics
