"""The command line: a thin shell over `soid.case`.

`main` starts lean: what a command needs is imported when that command runs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status; `docs/guide.md` lists them all."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    from soid.cli.failing import guarded

    return guarded(_run, given)


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        from soid.cli.version import version

        print(f"soid {version()}")
        return 0
    from soid.cli.app import run

    return run(arguments)
