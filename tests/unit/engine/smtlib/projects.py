"""Small SMT-LIB programs for the tests of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from soid.budget import UNLIMITED, Cancellation
from soid.engine.protocol import Exploration
from soid.engine.smtlib.engine import SmtLibEngine
from soid.engine.smtlib.smtlib_source import SmtLibSource
from soid.engine.summary import PathSummary
from soid.formula.build import TRUE
from soid.formula.checker import Checker
from soid.formula.sorts import Float
from soid.formula.term import Term
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, FloatType, IntType, VariableType
from tests.exhaustive import Exhaustive

UINT2 = IntType(2, signed=False)
TINY = FloatType(Float(3, 4))  # seven bits: every one of its values can be tried


def interface(**kinds: VariableType) -> Interface:
    """Environment variables, but for `go...`, which are decisions, and `s...`, which are state."""
    roles = {"g": Role.DECISION, "s": Role.STATE}
    return Interface(tuple(Variable(n, roles.get(n[0], Role.ENVIRONMENT), kind) for n, kind in kinds.items()))


#: two inputs, one decision
SMALL = interface(x=UINT2, open=BoolType(), go=BoolType())
DECLARED = "(declare-const x (_ BitVec 2)) (declare-const open Bool) (declare-const go Bool)\n"


def engine(
    folder: Path,
    files: Mapping[str, str],
    *,
    of: Interface = SMALL,
    names: Mapping[str, str] | None = None,
    endings: Mapping[str, str] | None = None,
) -> SmtLibEngine:
    """The engine for some files, given by name and text."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    paths = tuple(folder / name for name in files if name.endswith(".smt2"))
    return SmtLibEngine(of, SmtLibSource(paths, names or {}, endings or {}))


def explored(
    made: SmtLibEngine,
    *,
    fixed: Mapping[str, int] | None = None,
    precondition: Term = TRUE,
    check: Checker | None = None,
) -> PathSummary:
    """Its paths; by default every input is free, and every state is tried."""
    fixed = fixed or {}
    free = [variable.symbol for variable in made.interface.inputs if variable.path not in fixed]
    return made.explore(
        Exploration(fixed, precondition, check or Exhaustive(free), UNLIMITED.started(), Cancellation())
    )
