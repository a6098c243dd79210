"""The command line: a thin shell over `soid.case`.

`main` imports a command's modules only when that command runs, so that every command starts fast.
"""

from __future__ import annotations

import gc
import sys

from soid.cli.helper.client import WITHOUT, passed_on, start_helper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["main"]

#: Modules and terms are many small objects that stay: looking for cycles among them took up to a third of the time.
_RARELY = (100_000, 50, 50)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; `docs/exit-status.md` lists them all."""
    if arguments is not None:
        gc.set_threshold(*_RARELY)
        return _guarded(list(arguments))
    words = sys.argv[1:]
    alone = words[:1] == [WITHOUT]
    if not alone and (status := passed_on(words)) is not None:
        return status
    status = run_here(words[1:] if alone else words)
    if not alone:
        start_helper(words)
    gc.freeze()  # the process ends: a last search for cycles is of no use
    return status


def run_here(words: list[str], begin: Callable[[], None] = lambda: None) -> int:
    """Run one command as what this process is for; `begin` is called when it heeds signals."""
    gc.set_threshold(*_RARELY)
    from soid.cli.stop_signals import heed_stop_signals

    heed_stop_signals()
    return _guarded(words, begin)


def _guarded(words: list[str], begin: Callable[[], None] = lambda: None) -> int:
    from soid.cli.failure import guarded

    def begun(words: list[str]) -> int:
        begin()
        return _run(words)

    return guarded(begun, words)


def _run(arguments: list[str]) -> int:
    from soid.cli.command_line.plain_words import read_command

    if (read := read_command(arguments)) is not None:
        from soid.cli.command_line.command_memory import run_limited

        return run_limited(*read)
    from soid.cli.command_line.typer_app import run

    return run(arguments)
