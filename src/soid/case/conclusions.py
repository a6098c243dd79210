"""Conclusions of scripts on the record: each is a note on the answer that led to it.

>>> as_note("oven.soid", "it ignores errors")
'conclusion of oven.soid: it ignores errors'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.case.record.entry import Entry, EntryKind
from soid.case.validity import facts, in_force, struck

_NOTED: Final = re.compile(r"conclusion of (?P<script>.+?): (?P<text>.+)", re.DOTALL)


def as_note(script: str, text: str) -> str:
    """The text of the note that records a conclusion."""
    return f"conclusion of {script}: {text}"


@final
class ScriptConclusion(Struct, frozen=True):
    """A conclusion that a script drew from the answers."""

    note: Entry
    script: str  # the file's name
    text: str
    doubt: str  # why it may no longer hold; empty if there is no such reason


def conclusions(entries: Sequence[Entry]) -> tuple[ScriptConclusion, ...]:
    """The conclusions that were not retracted."""
    found = ((note, _NOTED.fullmatch(note.payload["text"])) for note in in_force(entries, EntryKind.NOTE))
    return tuple(
        ScriptConclusion(note, match["script"], match["text"], _doubt(entries, note)) for note, match in found if match
    )


def _doubt(entries: Sequence[Entry], note: Entry) -> str:
    """A script uses many answers, and its note names only the last: any fact retracted since may be one of them."""
    last = entries[note.payload["on"] - 1]
    standing = {fact.number for fact in facts(entries)}
    if last.number in struck(entries) or (last.fact is not None and last.number not in standing):
        return f"the answer that it rests on, entry {last.number}, no longer counts"
    before = entries[: note.number - 1]
    fallen = [fact.number for fact in facts(before) if fact.number not in standing]
    if fallen:
        named = ", ".join(f"entry {number}" for number in fallen)
        return f"since it was drawn, answers that had counted before it no longer do: {named}"
    return ""
