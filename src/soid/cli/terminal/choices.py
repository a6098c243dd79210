"""Asks a person to choose, takes the best guess instead, or says that it cannot ask."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import final

from soid.cli.terminal.terminal import Terminal
from soid.errors import InputError


@final
class Chooser:
    """Settles what is not certain. The first of several choices is the best guess."""

    def __init__(self, *, takes_best: bool, may_ask: bool = True) -> None:
        self._takes_best = takes_best
        self._may_ask = may_ask and sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        self.guesses: list[str] = []  # what was taken without asking

    @property
    def asks(self) -> bool:
        return not self._takes_best

    def choose(self, words: str, choices: Sequence[str]) -> int:
        """The number of the chosen one."""
        if self._takes_best:
            self.guesses.append(f"{words}; taken: {choices[0]}")
            return 0
        if not self._may_ask:
            listed = "; ".join(choices)
            raise InputError(
                f"{words}. It may be: {listed}", "There is no terminal to ask on: --yes takes the first of them."
            )
        terminal = Terminal.stdout()
        terminal.blank()
        terminal.prose(f"{words[0].upper()}{words[1:]}.")
        for number, choice in enumerate(choices, start=1):
            terminal.prose(choice, indent=6, first=(f"  {number:>2}", "bold"))
        return self._read(terminal, len(choices))

    def _read(self, terminal: Terminal, count: int) -> int:
        while True:
            try:
                typed = input(f"Which of 1 to {count}? [1] ").strip()
            except EOFError:
                raise InputError("no choice was made", "Run it again, or with --yes.") from None
            if not typed:
                return 0
            if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= count:
                return int(typed) - 1
            terminal.prose(f"Type a number from 1 to {count}; Enter takes 1, Ctrl-C stops.")
