"""The command line: a thin shell over `soid.case`.

`main` starts lean: what a command needs is imported when that command runs.
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
    """Run one command and give its exit status; `docs/guide.md` lists them all."""
    gc.set_threshold(*_RARELY)
    given = list(sys.argv[1:] if arguments is None else arguments)
    from soid.cli.failing import guarded

    status = guarded(_run, given)
    if arguments is None:
        gc.freeze()  # the process ends: nothing of it is looked through once more
    return status


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        from soid.cli.version import version

        print(f"soid {version()}")
        return 0
    if arguments[:1] == ["ask"]:
        from soid.cli.plainly import plain_ask

        options = plain_ask(arguments)
        if options is not None:
            from soid.cli.ask import ask

            return ask(options)
    from soid.cli.app import run

    return run(arguments)
