"""What is said of tools that are not here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from msgspec import Struct

from soid.cli.terminal.terminal import Terminal


@final
class MissingPeerDocument(Struct, frozen=True):
    """A tool that is not here, as JSON."""

    peer: str
    why: str
    remedy: str


def tell_missing(terminal: Terminal, missing: Iterable[tuple[str, str, str]]) -> None:
    """Say it for each: its name, why, and the remedy."""
    for name, why, remedy in missing:
        reason = f" ({why})" if why else ""
        terminal.prose(f"{name} is not here{reason}, so nothing is said of it. {remedy}", style="bold")
