"""The stream that words are written to: a terminal or a pipe, wide or narrow, with colours or without.

Text of others is written so that the terminal obeys none of it (`soid.visible_text`).
Values are never cut or broken: prose wraps between words only, and a table that does not fit is written as a list.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Self, TextIO, final

from msgspec import Struct
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from soid.visible_text import visible, visible_line

#: no prose is wider than this, however wide the terminal: long lines are hard to read
WIDEST = 100

_GAP = 2  # columns between two columns of a table
_READABLE = 16  # the smallest width of a column that wraps, unless its text is shorter

Piece = tuple[str, str]  # text and its style


@final
class Terminal(Struct, frozen=True):
    """Standard output or standard error."""

    console: Console

    @classmethod
    def stdout(cls, *, quiet: bool = False) -> Self:
        return cls(Console(quiet=quiet, highlight=False, markup=False, emoji=False))

    @classmethod
    def stderr(cls) -> Self:
        return cls(Console(stderr=True, highlight=False, markup=False, emoji=False))

    @classmethod
    def into(cls, stream: TextIO) -> Self:
        """A stream for a text: as wide as prose may be, without colours, and in a notebook too the stream alone."""
        console = Console(
            file=stream,
            width=WIDEST,
            color_system=None,
            force_jupyter=False,
            highlight=False,
            markup=False,
            emoji=False,
        )
        return cls(console)

    @property
    def width(self) -> int:
        return min(self.console.width, WIDEST)

    @property
    def is_interactive(self) -> bool:
        return self.console.is_terminal and not self.console.is_dumb_terminal

    def either(self, sign: str, ascii_sign: str) -> str:
        """The sign; or its substitute, if the encoding of the stream has only ASCII."""
        return sign if self.console.encoding.lower().startswith("utf") else ascii_sign

    def line(self, *pieces: Piece) -> None:
        """Write one line as it is: never wrapped, never cut."""
        shown = [(visible_line(text), style) for text, style in pieces]
        self.console.print(Text.assemble(*shown), no_wrap=True, overflow="ignore", crop=False)

    def blank(self) -> None:
        self.console.print()

    def prose(self, text: str, *, indent: int = 2, style: str = "", first: Piece = ("", "")) -> None:
        """Write text wrapped between words and indented; `first` stands before it, inside the indent if it fits."""
        if not text:
            return
        margin = " " * indent
        room = max(self.width - indent, 20)
        lines = textwrap.wrap(visible(text), room, break_long_words=False, break_on_hyphens=False)
        opening = (first[0].ljust(indent), first[1])
        for number, line in enumerate(lines):
            self.line(opening if number == 0 else (margin, ""), (line, style))

    def rule(self, left: str, right: str = "") -> None:
        """Write a line across the terminal, with words at both ends."""
        left, right = visible_line(left), visible_line(right)
        taken = len(left) + len(right) + (2 if right else 1)
        across = self.either("─", "-") * max(self.width - taken, 2)
        self.line((left, "bold"), (f" {across} {right}".rstrip(), "dim"))

    def table(
        self,
        headers: Sequence[str],
        rows: Iterable[Sequence[str]],
        *,
        indent: int = 2,
        wraps: Sequence[str] = (),
        marked: int | None = None,
    ) -> None:
        """Write a table without the columns that have no value. Only the columns in `wraps` may be wrapped."""
        rows = [[visible_line(cell) for cell in row] for row in rows]
        kept = [i for i, _ in enumerate(headers) if any(row[i] for row in rows)]
        names = [visible_line(headers[i]) for i in kept]
        body = [[row[i] for i in kept] for row in rows]
        table = _table(names, body, wraps, marked)
        room = self.console.width - indent
        if _needed(names, body, wraps) > room:
            self._stacked(names, body, indent)
            return
        natural = Measurement.get(self.console, self.console.options.update(max_width=1000), table).maximum
        with self.console.capture() as captured:
            self.console.print(table, width=min(natural, room))
        margin = " " * indent
        for line in captured.get().rstrip("\n").split("\n"):
            self.console.out(margin + line.rstrip(" "), highlight=False)

    def _stacked(self, headers: Sequence[str], rows: Sequence[Sequence[str]], indent: int) -> None:
        """Write the table as a list, for a terminal that is too narrow."""
        pad = max((len(header) for header in headers[1:]), default=0)
        for row in rows:
            self.line((" " * indent, ""), (row[0], "bold"))
            for header, cell in zip(headers[1:], row[1:], strict=True):
                if cell:
                    self.line((" " * (indent + 2) + header.ljust(pad) + "  ", "dim"), (cell, ""))


def warn(warnings: Iterable[str]) -> None:
    """Write warnings to standard error, for people."""
    for warning in warnings:
        Terminal.stderr().prose(warning, indent=9, first=("warning: ", "bold yellow"))


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]], wraps: Sequence[str], marked: int | None) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for at, header in enumerate(headers):
        wrapping = header in wraps
        least = _least(header, [row[at] for row in rows]) if wrapping else None
        table.add_column(Text(header), no_wrap=not wrapping, overflow="fold", min_width=least)
    for number, row in enumerate(rows):
        table.add_row(*(Text(cell) for cell in row), style="bold" if number == marked else "")
    return table


def _needed(headers: Sequence[str], rows: Sequence[Sequence[str]], wraps: Sequence[str]) -> int:
    """The smallest width at which nothing is cut."""
    total = _GAP * (len(headers) - 1)
    for at, header in enumerate(headers):
        cells = [row[at] for row in rows]
        total += _least(header, cells) if header in wraps else max(map(cell_len, [header, *cells]))
    return total


def _least(header: str, cells: Sequence[str]) -> int:
    """The smallest width of a column that wraps: its widest word fits, and lines are long enough to read."""
    texts = [header, *cells]
    words = [word for text in texts for word in text.split()]
    return max(max(map(cell_len, words)), min(_READABLE, max(map(cell_len, texts))))
