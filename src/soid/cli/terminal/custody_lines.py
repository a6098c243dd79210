"""The custody of a case on the terminal: who signed what, what is unsigned, time stamps, logs."""

from __future__ import annotations

from soid.case.custody.custody import Custody, Expectations
from soid.cli.terminal.terminal import Terminal


def show_custody(terminal: Terminal, found: Custody, expected: Expectations) -> None:
    for words in found.words:
        terminal.prose(words)
    if expected.keys:
        terminal.prose("Every entry is signed with a key that you named.", indent=0)
    elif found.keys:
        terminal.prose(
            "A name is what the signer wrote. Compare the keys with those that you have from their owners, or name "
            "these: `soid case verify CASE --key NAME=KEY`.",
            indent=0,
        )
