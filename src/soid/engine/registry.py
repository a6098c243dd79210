"""Which engine explores which kind of source."""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from soid.cache import cache_folder
from soid.engine.protocol import Engine
from soid.engine.summary_cache.summaries import Summaries
from soid.program.program import CSource, Program, SmtLibSource


def kept_summaries(program: Program, engine: Engine) -> Summaries | None:
    """Where the summaries of an opened program are kept; None where its paths are given, and need no exploring."""
    if not isinstance(program.source, CSource):
        return None
    from soid.engine.llvm.llvm_engine import LlvmEngine

    identity = engine.identity if isinstance(engine, LlvmEngine) else None
    return None if identity is None else Summaries(identity, program.interface, cache_folder() / "summaries")


def open_program(program: Program) -> tuple[Program, Engine]:
    """The program, its source read and checked and its interface complete, and an engine for it."""
    match program.source:
        case SmtLibSource():
            from soid.engine.smtlib.engine import SmtLibEngine  # each engine is loaded where it is needed

            return program, SmtLibEngine(program.interface, program.source)
        case CSource():
            from soid.engine.llvm.llvm_engine import open_c

            interface, engine = open_c(program.source, program.folder)
            return replace(program, interface=interface), engine
        case _:
            assert_never(program.source)
