"""The worker of `script_solver.py`: it reads SMT-LIB scripts with one solver's own parser and checks them.

It uses none of soid's terms, writers or readers: the solver alone interprets the text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from soid.solver.protocol import Reason, Unknown
from soid.solver.solver_worker import SatReply, UnsatReply
from soid.workers.worker_main import WorkerPort


def serve(port: WorkerPort, name: str) -> None:
    """Check scripts with the solver of this name."""
    while (text := port.receive(str)) is not None:
        try:
            answer = _READERS[name](text)
        except Exception as error:  # noqa: BLE001 each solver has its own exceptions, and all mean unknown
            answer = f"unknown: {error}".replace("\n", " ")
        if answer == "sat":
            port.send(SatReply([]))  # without a model
        elif answer == "unsat":
            port.send(UnsatReply())
        else:
            port.send(Unknown(Reason.SOLVER, answer))


def _bitwuzla(text: str) -> str:
    import bitwuzla

    parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
    parser.parse(text, True, False)  # without running `check-sat`: the parser would print the answer
    return str(parser.bitwuzla().check_sat()).rsplit(".", 1)[-1].lower()


def _z3(text: str) -> str:
    import z3

    solver = z3.SolverFor("QF_FPBV")
    solver.from_string(text)
    return str(solver.check())


def _cvc5(text: str) -> str:
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "script")
    answer = "unknown: nothing was asked"
    while not (command := parser.nextCommand()).isNull():
        words = str(command.invoke(solver, parser.getSymbolManager())).strip()
        if command.getCommandName() == "check-sat":
            answer = words
        elif words.startswith("(error"):
            return f"unknown: {words}"
    return answer


_READERS: Final[dict[str, Callable[[str], str]]] = {"bitwuzla": _bitwuzla, "z3": _z3, "cvc5": _cvc5}
