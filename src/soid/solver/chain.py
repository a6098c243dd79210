"""What wraps what: the one place that puts a solver together.

Outermost first, each asking the next one only if it does not know itself:

    Logging       (on request) the question as an .smt2 file, also where no solver is needed to answer it
    Folding       constants, contradictions, everything fixed
    Apart         what shares no variable, each by itself
    Cache         asked before
    Reuse         a recent model still holds
    Validating    the model is evaluated
    Boxes         few variables: the box they lie in, halved a few times, has a state that does or none
    Escalating    bitwuzla in this process, briefly, but for products, quotients and roots of floats that vary
    Boxes         more variables, and many boxes
    Escalating    bitwuzla for longer; then a Race of all solvers in processes that can be killed

With `cross_check` all solvers, each in its process, must agree, in place of the last four lines. A recipe may do
without Folding, Apart, Cache, Reuse and Boxes, and never without Validating.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, final

from soid.errors import SolverMissingError
from soid.formula.term import Term
from soid.recipe import Mechanisms
from soid.solver.back_ends import BACK_ENDS, NAMES, in_process, require
from soid.solver.box_splitter import MANY, BoxSplitter
from soid.solver.clause_weight import entangles
from soid.solver.constant_folder import ConstantFolder
from soid.solver.cross_check import CrossCheckingSolver
from soid.solver.escalation import EscalatingSolver
from soid.solver.independence import IndependentSolver
from soid.solver.model_cache import ModelCache
from soid.solver.model_validation import ValidatingSolver
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Result, Solver
from soid.solver.query_cache import QueryCache
from soid.solver.solver_process import Race, SolverProcess
from soid.solver.statistics import CountingSolver, Statistics

__all__ = ["NAMES", "Chain", "available", "chain"]

#: The one solver that keeps its time limit well enough to be asked in this process.
_PUNCTUAL: Final = "bitwuzla"

#: Seconds that it has before many boxes are tried.
_BRIEFLY: Final = 0.1

#: Seconds that the first solver runs alone: on what is merely large it is done before the others have started.
_HEAD_START: Final = 1.0


def chain(
    names: Sequence[str] = NAMES,
    *,
    log_folder: Path | None = None,
    cross_check: bool = False,
    easy_seconds: float = 0.5,
    memory: int | None = None,
    mechanisms: Mechanisms | None = None,
) -> Chain:
    """A solver with everything around it.

    `memory` limits each process's address space, in bytes; `mechanisms` says what may answer in a solver's place, and
    everything may where nothing is said. Nothing is loaded or started before the first question that needs it.
    """
    if not names:
        raise SolverMissingError("No solver was named.", f"Name one or more of {', '.join(NAMES)}.")
    for name in names:
        require(name)
    statistics = Statistics()
    processes = [SolverProcess(name, memory=memory) for name in dict.fromkeys(names)]
    chosen = mechanisms or Mechanisms()
    solver: Solver
    if cross_check:
        solver = _checked(processes, statistics)
    elif chosen.boxes:
        solver = BoxSplitter(_raced(processes, statistics, easy_seconds, boxes=True), statistics.boxes)
    else:
        solver = _raced(processes, statistics, easy_seconds, boxes=False)
    solver = _sparing(ValidatingSolver(solver), chosen)
    if log_folder is not None:
        from soid.solver.query_log import LoggingSolver  # and with it what writes SMT-LIB, which nobody else needs here

        solver = LoggingSolver(solver, log_folder)
    return Chain(CountingSolver(solver, statistics.questions), statistics)


def _sparing(solver: Solver, mechanisms: Mechanisms) -> Solver:
    """The solver, asked only for what nothing else answers."""
    if mechanisms.model_reuse:
        solver = ModelCache(solver)
    if mechanisms.cache:
        solver = QueryCache(solver)
    if mechanisms.apart:
        solver = IndependentSolver(solver)
    return ConstantFolder(solver) if mechanisms.folding else solver


def _raced(processes: Sequence[SolverProcess], statistics: Statistics, easy_seconds: float, *, boxes: bool) -> Solver:
    race = Race(processes, _HEAD_START)
    hard: Solver = CountingSolver(race, statistics.of(race.name))
    if easy_seconds <= 0 or _PUNCTUAL not in {process.name for process in processes}:
        return BoxSplitter(hard, statistics.boxes, MANY) if boxes else hard
    easy = CountingSolver(in_process(_PUNCTUAL), statistics.of(_PUNCTUAL))
    hard = EscalatingSolver(easy, hard, easy_seconds)
    return EscalatingSolver(easy, BoxSplitter(hard, statistics.boxes, MANY), _BRIEFLY, entangles) if boxes else hard


def _checked(processes: Sequence[SolverProcess], statistics: Statistics) -> Solver:
    if len(processes) < 2:
        raise SolverMissingError("One solver cannot be cross-checked.", f"Name two or more of {', '.join(NAMES)}.")
    # Each model is evaluated before it is compared, so that a wrong one is not taken for a disagreement.
    return CrossCheckingSolver(
        [ValidatingSolver(CountingSolver(process, statistics.of(process.name))) for process in processes]
    )


def available() -> dict[str, str]:
    """The installed solvers and their versions, in order of preference; loads none of them."""
    from importlib import metadata  # large, and of no use to a question

    found = {}
    for name, back_end in BACK_ENDS.items():
        try:
            require(name)
            found[name] = metadata.version(back_end.install)
        except (SolverMissingError, metadata.PackageNotFoundError):
            continue
    return found


@final
class Chain:
    """The outermost solver, with a record of what was asked below."""

    def __init__(self, solver: Solver, statistics: Statistics) -> None:
        self._solver = solver
        self.statistics = statistics

    @property
    def name(self) -> str:
        return self._solver.name

    def check(
        self,
        conjuncts: Sequence[Term],
        assumptions: Sequence[Term] = (),
        budget: Budget = UNLIMITED,
        cancel: Cancellation | None = None,
    ) -> Result:
        return self._solver.check(conjuncts, assumptions, budget, cancel)

    def close(self) -> None:
        self._solver.close()
