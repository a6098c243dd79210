"""Which entries of a case came with a bundle: their authors are as the bundle says, and were not checked here.

A server lets its users in by tokens, and an entry carries the id of its author's. Of an entry that came with a bundle
this says nothing: a bundle can be made with any name and any id in it. The first note after these entries says
what the case was made of. A user cannot write such a note, and it counts even if it is taken back.

>>> text = made_of("evidence.zip", "0" * 64)
>>> is_origin(text), is_origin("made of a bundle")
(True, False)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from soid.case.record.entry import Entry, EntryKind

_MADE_OF: Final = "made of a bundle, {name}, with the SHA-256 {sha256}: what comes after this entry is not in it"
_NOTE: Final = re.compile(_MADE_OF.format(name=".*", sha256="[0-9a-f]{64}"), re.DOTALL)


def made_of(name: str, sha256: str) -> str:
    """The text of the note that says what a case was made of."""
    return _MADE_OF.format(name=name, sha256=sha256)


def is_origin(text: str) -> bool:
    """Whether the text of a note is read as what the case was made of."""
    return _NOTE.fullmatch(text) is not None


def last_of_bundle(entries: Sequence[Entry]) -> int:
    """The number of the last entry that came with a bundle; 0: none did."""
    notes = (each for each in reversed(entries) if each.kind is EntryKind.NOTE)
    return next((note.number - 1 for note in notes if is_origin(str(note.payload["text"]))), 0)


def author(entry: Entry, entries: Sequence[Entry]) -> str:
    """Who made an entry, as far as it is known here."""
    return f"{entry.who}, as the bundle says" if entry.number <= last_of_bundle(entries) else entry.who


def of_authors(entries: Sequence[Entry]) -> str:
    """What is said of the authors of all that came with a bundle; empty if nothing did."""
    last = last_of_bundle(entries)
    if not last:
        return ""
    which = "entry 1" if last == 1 else f"entries 1 to {last}"
    return f"The authors of {which} are as the bundle says that the case was made of: no token was shown for them here."
