"""The key of the person at the terminal, who may be asked for its passphrase."""

from __future__ import annotations

import sys
from getpass import getpass
from pathlib import Path

from soid.case.custody.author_key import Ask, AuthorKey, author_key
from soid.cli.terminal.terminal import Terminal


def own_key(*, asks: bool = True) -> AuthorKey:
    """The key that entries are signed with. A command calls this before it shows progress, because it may ask."""
    found = author_key(asker() if asks else None)
    if found.made and found.key is not None:
        Terminal.stderr().prose(
            f"Your entries are signed from now on, with a new key in {found.file}; its fingerprint is "
            f"{found.key.fingerprint}. `soid case key` shows it, and can protect it by a passphrase.",
            indent=0,
        )
    return found


def asker() -> Ask | None:
    """Asks for a passphrase; None if there is no terminal."""
    return _ask if sys.stdin is not None and sys.stdin.isatty() else None


def _ask(file: Path) -> str:
    return getpass(f"Passphrase of {file}: ")


def new_passphrase(file: Path) -> str | None:
    """A passphrase that was typed twice; empty: none. None if the two differ."""
    first = getpass(f"New passphrase of {file} (empty: none): ")
    return first if getpass("The same again: ") == first else None
