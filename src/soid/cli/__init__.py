"""The command line: a thin shell over `soid.case`.

`main` imports a command's modules only when that command runs, so that every command starts fast.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from typing import Final

__all__ = ["main"]

#: Modules and terms are many small objects that stay: looking for cycles among them took up to a third of the time.
_RARELY: Final = (100_000, 50, 50)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; `docs/exit-status.md` lists them all."""
    gc.set_threshold(*_RARELY)
    given = list(sys.argv[1:] if arguments is None else arguments)
    from soid.cli.failure import guarded

    if arguments is None:
        from soid.cli.stop_signals import heed_stop_signals

        heed_stop_signals()
    status = guarded(_run, given)
    if arguments is None:
        gc.freeze()  # the process ends: a last search for cycles is of no use
    return status


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["ask"]:
        from soid.cli.command_line.plain_words import read_plainly
        from soid.cli.command_line.question_options import AskOptions

        options = read_plainly(AskOptions, arguments[1:])
        if options is not None:
            from soid.cli.command_line.command_memory import run_limited
            from soid.cli.commands.ask_command import ask

            return run_limited(ask, options)
    from soid.cli.command_line.typer_app import run

    return run(arguments)
