"""Logs every query as a runnable .smt2 file, written before the query is asked, so that it survives a crash.

Files are numbered in the order of the queries, after those that the folder already has. The top of each names the
solver and its answer; sat and unsat are also the expected :status.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, final

from soid.budget import UNLIMITED, Budget, Cancellation
from soid.errors import EnvironmentalError
from soid.formula.smtlib.script_writer import script
from soid.formula.term import Term
from soid.solver.protocol import Conjuncts, Result, Sat, Solver, SolverLayer, Unknown, Unsat


@final
class LoggingSolver(SolverLayer):
    """Logs the queries to the inner solver."""

    def __init__(self, inner: Solver, folder: Path) -> None:
        super().__init__(inner)
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(folder, error) from error
        self._count = max((int(path.stem) for path in folder.glob("*.smt2") if path.stem.isdigit()), default=0)

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        self._count += 1
        path = self._folder / f"{self._count:06}.smt2"
        limit = "no limit" if budget.seconds is None else f"{budget.seconds:.3g} s"
        asked = f"asked: {self._inner.name}, {limit}"
        self._write(path, conjuncts, [asked, "answer: none (yet)"], None)
        began = time.perf_counter()
        result = self._inner.check(conjuncts, budget, cancel)
        seconds = time.perf_counter() - began
        self._write(path, conjuncts, [asked, f"answer: {_words(result)}, after {seconds:.3f} s"], _status(result))
        return result

    def _write(
        self, path: Path, terms: Sequence[Term], comments: list[str], status: Literal["sat", "unsat"] | None
    ) -> None:
        try:
            path.write_text(script(terms, comments=comments, status=status, get_model=status == "sat"))
        except OSError as error:
            raise _unwritable(path, error) from error


def _status(result: Result) -> Literal["sat", "unsat"] | None:
    return "sat" if isinstance(result, Sat) else "unsat" if isinstance(result, Unsat) else None


def _words(result: Result) -> str:
    return f"unknown ({result.reason.value}: {result.detail})" if isinstance(result, Unknown) else str(_status(result))


def _unwritable(path: Path, error: OSError) -> EnvironmentalError:
    return EnvironmentalError(f"Queries cannot be logged to {path}: {error.strerror}.", "Choose another folder.")
