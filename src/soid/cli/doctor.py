"""`soid doctor`: can soid work on this machine, and with what?

Each solver is asked two small questions whose answers are known, one that can be satisfied and one that cannot; that
it is installed is not enough.
"""

from __future__ import annotations

import json
import platform
import time
from typing import Any, Final, final

from msgspec import Struct

from soid.budget import Budget
from soid.cli.compilers import Compiler, compilers
from soid.cli.terminal import Terminal
from soid.cli.version import version
from soid.errors import EnvironmentalError, SoidError
from soid.formula import build
from soid.formula.sorts import BitVec
from soid.formula.term import Term
from soid.solver.chain import NAMES, available, chain
from soid.solver.protocol import Result, Sat, Unsat

_SECONDS: Final = 10.0


@final
class SolverHealth(Struct, frozen=True):
    """One solver: is it there, and does it answer?"""

    name: str
    version: str  # empty: not installed
    answers: bool
    detail: str  # what is wrong, or how long it took


def doctor(*, as_json: bool) -> int:
    """Look, and say; the exit status is 0 if soid can work."""
    solvers = [_examine(name) for name in NAMES]
    found = compilers()
    works = any(solver.answers for solver in solvers)
    if as_json:
        print(json.dumps(_to_json(works, solvers, found), ensure_ascii=False))
    else:
        _show(Terminal.stdout(), works, solvers, found)
    return 0 if works else EnvironmentalError.exit_code


def _examine(name: str) -> SolverHealth:
    installed = available().get(name, "")
    if not installed:
        return SolverHealth(name, "", False, "not installed")
    started = time.perf_counter()
    solver = None
    try:
        solver = chain((name,))
        wrong = [what for what, ok in _known(solver.check) if not ok]
    except SoidError as error:
        return SolverHealth(name, installed, False, error.cause)
    finally:
        if solver is not None:
            solver.close()
    seconds = time.perf_counter() - started
    return SolverHealth(name, installed, not wrong, "; ".join(wrong) or f"right, in {seconds:.2f} s")


def _known(check: Any) -> list[tuple[str, bool]]:
    """Two questions: some number squared is 49, and none is 51 (in 16 bits)."""
    x = build.var("x", BitVec(16))

    def squared(number: int) -> Result:
        conjuncts: list[Term] = [
            build.eq(build.bvmul(x, x), build.const(x.sort, number)),
            build.bvult(x, build.const(x.sort, 200)),
        ]
        result: Result = check(conjuncts, (), Budget(_SECONDS))
        return result

    yes, no = squared(49), squared(51)
    return [
        (f"x * x = 49 should be satisfiable: {yes}", isinstance(yes, Sat) and yes.model.get(x) == 7),
        (f"x * x = 51 should not be satisfiable: {no}", isinstance(no, Unsat)),
    ]


def _show(terminal: Terminal, works: bool, solvers: list[SolverHealth], found: tuple[Compiler, ...]) -> None:
    terminal.rule(f"soid {version()}", f"Python {platform.python_version()}")
    rows = [(s.name, s.version or "absent", s.detail) for s in solvers]
    terminal.table(("solver", "version", "two known questions"), rows, wraps=("two known questions",))
    terminal.blank()
    rows = [(c.name, c.version or "absent", str(c.where or "")) for c in found]
    terminal.table(("compiler", "version", "where"), rows, wraps=("version",))
    terminal.blank()
    if works:
        terminal.line((f"  {terminal.either('✔', '+')} soid can work here", "bold green"))
    else:
        terminal.line((f"  {terminal.either('✘', '-')} soid cannot work here: no solver answers", "bold red"))
        terminal.prose("Install one: pip install bitwuzla z3-solver cvc5", indent=4)


def _to_json(works: bool, solvers: list[SolverHealth], found: tuple[Compiler, ...]) -> dict[str, Any]:
    return {
        "soid": version(),
        "python": platform.python_version(),
        "works": works,
        "solvers": [
            {"name": s.name, "version": s.version or None, "answers": s.answers, "detail": s.detail} for s in solvers
        ],
        "compilers": [
            {"name": c.name, "version": c.version or None, "where": str(c.where) if c.where else None} for c in found
        ],
    }
