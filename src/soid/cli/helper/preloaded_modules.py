"""What is loaded before the first fork: the modules that a question needs, and the grammar of questions.

Not loaded is what starts threads, because a fork has none of them: numpy, and the solvers that are raced in processes.
"""

from __future__ import annotations

import gc
import os
from importlib import import_module
from typing import Final

from soid.cache import can_be_written, user_caches
from soid.cli.command_line import command_table
from soid.cli.helper.client import COMMANDS

#: imported late where they are needed, and needed by most questions
_LATE: Final = (
    "soid.cli.failure",
    "soid.cli.command_line.plain_words",
    "soid.cli.terminal.answers",
    "soid.cli.terminal.terminal",
    "soid.engine.llvm.c_frontend",
    "soid.engine.llvm.commands",
    "soid.engine.llvm.compiler.library_stock",
    "soid.engine.llvm.compiler.module_linker",
    "soid.engine.llvm.llvm_engine",
    "soid.engine.llvm.missing_parts",
    "soid.engine.llvm.native.native_replayer",
    "soid.engine.smtlib.smtlib_frontend",
    "soid.engine.world.world_engine",
    "soid.engine.world.world_frontend",
    "soid.program.files",
    "soid.solver.bitwuzla",
)


def preload() -> None:
    """Load it all."""
    from soid.cli.command_line.typer_app import command
    from soid.query.language.query_parser import grammar

    for words in command_table.COMMANDS:
        if words.split()[0] in COMMANDS:
            command_table.function_of(words)
    for name in _LATE:
        import_module(name)
    command()
    if os.environ.get("SOID_CACHE") or can_be_written(user_caches() / "soid"):  # else each process makes one for itself
        grammar()
    gc.collect()
    gc.freeze()  # what is there stays: a search for cycles would only copy its pages into each fork
