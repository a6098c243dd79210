"""Checks SMT-LIB scripts with solvers that read the text with their own parsers.

>>> with ScriptSolver(("cvc5",)) as scripts:
...     scripts.check("(set-logic QF_BV)(declare-fun x () (_ BitVec 8))(assert (bvult x x))(check-sat)", 60.0)
ScriptAnswer(answer='unsat', solver='cvc5', detail='')

Each solver runs in a jailed process of its own, which is killed when its time is over. A script may be untrusted:
commands that do more than ask a question (options that write files, for instance) are refused before any solver sees
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Self, final

from msgspec import Struct

from soid.budget import Budget, Cancellation
from soid.errors import SmtLibError
from soid.formula.smtlib.sexpr import Atom, Parenthesis, SmtLibText
from soid.solver.protocol import Unknown
from soid.solver.solver_process import SolverProcess, first_answer
from soid.solver.solver_worker import SatReply, UnsatReply

#: the commands that a script may have besides one check-sat
_COMMANDS: Final = frozenset({"set-logic", "set-info", "declare-fun", "declare-const", "define-fun", "assert"})

#: seconds that the first solver runs alone
_HEAD_START: Final = 1.0


@final
class ScriptAnswer(Struct, frozen=True):
    """The answer to a script."""

    answer: str  # sat, unsat or unknown
    solver: str = ""  # that gave the answer; empty for unknown
    detail: str = ""  # why it is unknown


@final
class ScriptSolver:
    """Several solvers in the order in which they start; a context manager that ends their processes."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._processes = [SolverProcess(name, of_scripts=True) for name in names]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.close()

    def check(
        self, text: str, seconds: float, cancel: Cancellation | None = None, *, without: str = ""
    ) -> ScriptAnswer:
        """The first sat or unsat of any solver except `without`; unknown when the time is over."""
        _refuse_commands(text)
        asked = [process for process in self._processes if process.name != without]
        if not asked:
            return ScriptAnswer("unknown", detail=f"no other solver than {without} was named")
        answer = first_answer(asked, lambda _: text, Budget(seconds), cancel, _HEAD_START)
        match answer:
            case SatReply(), solver:
                return ScriptAnswer("sat", solver)
            case UnsatReply(), solver:
                return ScriptAnswer("unsat", solver)
            case Unknown(detail=detail):
                return ScriptAnswer("unknown", detail=detail)


def _refuse_commands(text: str) -> None:
    """Refuse a script that does more than ask one question."""
    source = SmtLibText("script", text)
    heads = []
    for expression in source.expressions():
        head = expression.items[0] if isinstance(expression, Parenthesis) and expression.items else expression
        name = head.text if isinstance(head, Atom) and head.kind == "symbol" and not head.barred else "?"
        if name not in _COMMANDS and name != "check-sat":
            raise source.error(expression.at, f"the command {name} is refused", "Assert, and ask once.")
        heads.append(name)
    if heads.count("check-sat") != 1 or heads[-1] != "check-sat":
        raise SmtLibError("a script asks one question, at its end", "End it with (check-sat).")
