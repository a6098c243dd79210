"""Splits a script into lines and blocks, before the lines are parsed.

A line belongs to the open block with the same indentation. After a line that ends with a colon, a block with a deeper
indentation begins. After any other line, a deeper indented line continues that line:

    when would not move if other.signal == STRAIGHT
            and other.arrived > self.arrived:
        conclude "it waits for its chance"

Comments and blank lines belong to the line below them, or to the block above if they are indented as deep as it.

>>> (when,) = lay_out("when did x:  # why\\n    conclude 'a'\\n").lines
>>> when.remarks.beside, len(when.below.lines)
('# why', 1)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, final

from msgspec import Struct, field

from soid.errors import QueryError
from soid.query.language.script.nodes import Remarks
from soid.scenario.expression import TextSpan, error_at

#: blocks nested deeper are refused, so that functions over scripts may recurse
MAX_NESTING: Final = 40

# The text before a comment. A # in quotes or in backticks begins no comment, and neither does the character '#'.
_BEFORE_COMMENT: Final = re.compile(r'(?:(?<![\w\])`\'])\'[#"`]\'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\n]|``)+`|[^#\n])*')


@final
class Laid(Struct):
    """A logical line: one line of the text with its continuation lines. A remark, or a blank line, has no code."""

    start: int  # offsets in the text, without indentation and comments
    end: int
    indent: int
    beside: str  # its comment, with the #; empty if there is none
    opens: bool  # it ends with a colon
    before: list[str] = field(default_factory=list)
    below: Nest = field(default_factory=lambda: Nest(-1))

    @property
    def span(self) -> TextSpan:
        return TextSpan(self.start, self.end)

    @property
    def remarks(self) -> Remarks:
        return Remarks(tuple(self.before), self.beside)


@final
class Nest(Struct):
    """The lines of one block, and the remarks at its end."""

    indent: int
    lines: list[Laid] = field(default_factory=list)
    closing: tuple[str, ...] = ()


def lay_out(text: str) -> Nest:
    """The blocks of a text. Wrong indentation is an error."""
    layout = _Layout()
    for line in _lines(text):
        layout.add(line)
    return layout.outermost()


@final
class _Layout:
    """The open blocks, the outermost first, and the remarks since the last line."""

    def __init__(self) -> None:
        self._open: list[Nest] = [Nest(0)]
        self._remarks: list[Laid] = []
        self._last: Laid | None = None

    def add(self, line: Laid) -> None:
        if line.start == line.end:
            self._remarks.append(line)
        elif self._last is not None and not self._last.opens and line.indent > self._last.indent:
            self._go_on(self._last, line)
        else:
            self._begin(line)

    def outermost(self) -> Nest:
        """The outermost block, when all lines are added."""
        if self._last is not None and self._last.opens:
            raise _blockless(self._last)
        while len(self._open) > 1:
            self._close()
        outermost = self._open[0]
        outermost.closing = _tidied(self._remarks, first=not outermost.lines, last=True)
        return outermost

    def _begin(self, line: Laid) -> None:
        last = self._last
        if last is not None and last.opens:
            if line.indent <= last.indent:
                raise _blockless(last)
            self._enter(last, line)
        else:
            while self._open[-1].indent > line.indent:
                self._close()
            if self._open[-1].indent != line.indent:
                raise self._astray(line)
        block = self._open[-1]
        line.before = list(_tidied(self._remarks, first=not block.lines))
        self._remarks.clear()
        self._last = line
        block.lines.append(line)

    def _go_on(self, last: Laid, line: Laid) -> None:
        """Extends the last line. Comments inside it move above it, because the printer cannot put them elsewhere."""
        last.before += [text for text in (last.beside, *(remark.beside for remark in self._remarks)) if text]
        self._remarks.clear()
        last.end, last.beside, last.opens = line.end, line.beside, line.opens

    def _enter(self, last: Laid, line: Laid) -> None:
        if len(self._open) > MAX_NESTING:
            problem = f"blocks are nested more than {MAX_NESTING} levels deep"
            raise error_at(last.span, problem, "Ask some of these questions first.")
        last.below = Nest(line.indent)
        self._open.append(last.below)

    def _close(self) -> None:
        """Ends the innermost block. Remarks below it that are indented like it belong to it."""
        block = self._open.pop()
        kept = 0
        for number, remark in enumerate(self._remarks):
            if remark.beside:
                if remark.indent < block.indent:
                    break
                kept = number + 1
        block.closing = _tidied(self._remarks[:kept], first=False)
        del self._remarks[:kept]

    def _astray(self, line: Laid) -> QueryError:
        if not self._open[0].lines:
            return error_at(line.span, "the first line is indented", "Begin it at the margin.")
        return error_at(
            line.span,
            "this line is indented like no block above it",
            "Indent all lines of a block alike; to go on with the line above, indent deeper than it.",
        )


def _blockless(line: Laid) -> QueryError:
    remedy = "Below a line that ends with a colon, indent what belongs to it."
    return error_at(line.span, "there is nothing below this line", remedy)


def _lines(text: str) -> Iterator[Laid]:
    """The lines of the text, one by one."""
    at = 0
    for content in text.split("\n"):
        code = _BEFORE_COMMENT.match(content)
        assert code is not None
        words = code[0].rstrip()
        comment = content[code.end() :].rstrip()
        indent = len(content) - len(content.lstrip(" "))
        if words[indent : indent + 1].isspace():
            place = TextSpan(at + indent, at + indent + 1)
            raise error_at(place, "a line is indented with spaces only", "Put spaces in the place of this character.")
        start = at + indent if words else at
        yield Laid(start, at + len(words) if words else start, indent, comment, words.endswith(":"))
        at += len(content) + 1


def _tidied(remarks: Sequence[Laid], *, first: bool, last: bool = False) -> tuple[str, ...]:
    """The texts, with blank lines in a row as one. `first` drops blank lines at the start, `last` one at the end."""
    texts: list[str] = []
    for remark in remarks:
        if remark.beside or (texts[-1] if texts else not first):
            texts.append(remark.beside)
    if last and texts and not texts[-1]:
        texts.pop()
    return tuple(texts)
