"""What the comment beside a declaration says: `float altitude;  /* m, above the ground */` has a unit and words.

>>> found = comments_in(["struct s { int n;\\n float alt;  // m, above ground\\n}; /* float x; */"])
>>> found["alt"]
SourceComment(text='above ground', unit='m')
>>> "n" in found, "x" in found
(False, False)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, final

from msgspec import Struct

from soid.proposal.name_words import known_unit

_DECLARED: Final = re.compile(
    r"^[^/\n(){}]*?[\w>*&\]]\s[*&]*(?P<name>[A-Za-z_]\w*)\s*(?:\[[^\]\n]*\]\s*)*(?:=[^;,\n]*)?[;,][ \t]*"
    r"(?://[/!]?<?[ \t]*(?P<line>[^\n]*)|/\*[*!]?<?[ \t]*(?P<block>[^\n]*?)[ \t]*\*/)",
    re.MULTILINE,
)
_FIRST: Final = re.compile(r"[\[(]?(?P<unit>[^,;:\])]+?)\s*(?:[,;:\])]\s*(?P<rest>.*))?")
_LAST: Final = re.compile(r"(?P<rest>.*?),?\s*(?:[\[(](?P<unit>[^\])]+)[\])]|\bin (?P<other>\S+))\.?")
_LONGEST: Final = 60  # characters of a comment that may serve as a label
_DEGREES: Final = re.compile(r"(?:degrees?|deg\.?|°)\s*([CF])\b")


@final
class SourceComment(Struct, frozen=True):
    """A comment, the unit that it begins with set apart."""

    text: str
    unit: str | None


def comments_in(texts: Iterable[str]) -> dict[str, SourceComment]:
    """By the declared name; a name that is declared twice with different comments is left out."""
    found: dict[str, SourceComment | None] = {}
    for text in texts:
        for each in _DECLARED.finditer(text):
            name, comment = each["name"], _comment(each["line"] or each["block"] or "")
            found[name] = comment if found.get(name, comment) == comment else None
    return {name: comment for name, comment in found.items() if comment is not None}


def _comment(text: str) -> SourceComment:
    """`m, above ground`, `above ground (m)` and `above ground, in m` have the same unit.

    >>> _comment("height [m]"), _comment("m: up, or down")
    (SourceComment(text='height', unit='m'), SourceComment(text='up, or down', unit='m'))
    """
    said = text.strip()
    for found in (_FIRST.fullmatch(said), _LAST.fullmatch(said)):
        parts = found.groupdict() if found is not None else {}
        measured = _unit(parts.get("unit") or parts.get("other") or "")
        if measured is not None:
            return SourceComment(_label(parts["rest"] or ""), measured)
    return SourceComment(_label(said), None)


def _unit(part: str) -> str | None:
    degrees = _DEGREES.match(part)
    bare = part.strip().removeprefix("in ").rstrip(".")
    return f"deg{degrees[1]}" if degrees is not None else known_unit(bare) if bare else None


def _label(text: str) -> str:
    return text if len(text) <= _LONGEST else ""
