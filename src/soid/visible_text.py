r"""Text of others as it is shown: characters that deceive the eye are written as their code points.

>>> visible("paid\u202eton")
'paid[U+202E]ton'
>>> visible_line("ada\nverdict: yes\x1b[2J")
'ada[U+000A]verdict: yes[U+001B][2J'
>>> visible("naïve Δ 車 \u2714 ok\tand so on\n")
'naïve Δ 車 ✔ ok\tand so on\n'

Names, notes, labels and source lines may contain characters that reorder what is shown around them, that are not seen
at all, or that a terminal obeys: a name on the record then reads as another. Whatever shows text goes through here: the
terminal (`soid.cli.terminal.terminal`), the page (`soid.web.page.parts`), drawings and reports
(`soid.scene.vector.elements`). JSON and the files of a bundle are data, and have the text as it is.
"""

from __future__ import annotations

import re
from typing import Final

_DECEIVING: Final = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, without tab and line feed
    "\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # invisible: hyphens, joiners, fillers, selectors
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # of no width, line ends, and all that change the direction
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"  # blanks, selectors, annotations, what XML forbids
    "\ud800-\udfff"  # halves of characters
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # formats of scripts
    "\U000e0000-\U000e0fff"  # tags and selectors
    "]"
)


def visible(text: str) -> str:
    """The text, in which nothing changes how the rest is shown; it may have several lines."""
    return text if text.isascii() and text.isprintable() else _DECEIVING.sub(_code_point, text)


def visible_line(text: str) -> str:
    """The same as one line: a line feed too is written as its code point."""
    return visible(text).replace("\n", _LINE_FEED)


def _code_point(found: re.Match[str]) -> str:
    return f"[U+{ord(found[0]):04X}]"


_LINE_FEED: Final = "[U+000A]"
