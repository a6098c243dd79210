"""Which engine explores which kind of source."""

from __future__ import annotations

from typing import assert_never

from soid.engine.protocol import Engine
from soid.engine.smtlib.engine import SmtLibEngine
from soid.program.program import Program, SmtLibSource


def engine_for(program: Program) -> Engine:
    """An engine for the program, its source read and checked."""
    match program.source:
        case SmtLibSource():
            return SmtLibEngine(program.interface, program.source)
        case _:
            assert_never(program.source)
