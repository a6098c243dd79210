"""The other end of `scripts`: a process that reads SMT-LIB with one solver's own parser, and says what it finds.

None of soid's own terms, printers or readers take part: what is asked is what the text says to that solver.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final

SAT: Final = "sat"
UNSAT: Final = "unsat"

_STACK: Final = 1 << 29  # bytes: the solvers' parsers recurse


def serve(name: str) -> None:
    """Answer until standard input closes: a length and a text in, one line out."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started us; they end us
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a solver's library prints is no answer
    threading.stack_size(_STACK)

    def loop() -> None:
        read = _READERS[name]
        while header := sys.stdin.buffer.readline():
            text = sys.stdin.buffer.read(int(header)).decode("utf-8")
            answers.write(read(text).replace("\n", " ") + "\n")
            answers.flush()

    thread = threading.Thread(target=loop)
    thread.start()
    thread.join()
    os._exit(0)  # nothing to save, and tearing down a solver's terms can take seconds


def _bitwuzla(text: str) -> str:
    import bitwuzla

    try:
        parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
        parser.parse(text, True, False)  # `check-sat` is left to us: the parser would print its answer
        return str(parser.bitwuzla().check_sat()).rsplit(".", 1)[-1].lower()
    except bitwuzla.BitwuzlaException as error:
        return f"unknown: {error}"


def _z3(text: str) -> str:
    import z3

    try:
        solver = z3.SolverFor("QF_FPBV")
        solver.from_string(text)
        return str(solver.check())
    except z3.Z3Exception as error:
        return f"unknown: {error}"


def _cvc5(text: str) -> str:
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "script")
    said = "unknown: nothing was asked"
    try:
        while not (command := parser.nextCommand()).isNull():
            words = str(command.invoke(solver, parser.getSymbolManager())).strip()
            if command.getCommandName() == "check-sat":
                said = words
            elif words.startswith("(error"):
                return f"unknown: {words}"
    except RuntimeError as error:
        return f"unknown: {error}"
    return said


_READERS: Final[dict[str, Callable[[str], str]]] = {"bitwuzla": _bitwuzla, "z3": _z3, "cvc5": _cvc5}
