"""Which entries of a record count: entries are never removed, later entries retract them.

A retraction may itself be retracted; then the entry that it retracted counts again.
"""

from __future__ import annotations

from collections.abc import Sequence

from soid.case.record.entry import Entry, EntryKind
from soid.errors import CaseError

_RETRACTABLE = (
    EntryKind.ASKED,
    EntryKind.ANSWERED,
    EntryKind.KEYFRAME,
    EntryKind.NOTE,
    EntryKind.RETRACTED,
    EntryKind.ACCEPTED,
)


def struck(entries: Sequence[Entry]) -> frozenset[int]:
    """The numbers of the entries with a retraction that counts."""
    out: set[int] = set()
    for entry in reversed(entries):  # a retraction follows the entry that it retracts, so later ones are decided first
        if entry.kind is EntryKind.RETRACTED and entry.number not in out:
            out.add(entry.payload["entry"])
    return frozenset(out)


def in_force(entries: Sequence[Entry], *kinds: EntryKind) -> tuple[Entry, ...]:
    """The entries of these kinds that count."""
    out = struck(entries)
    return tuple(entry for entry in entries if entry.kind in kinds and entry.number not in out)


def facts(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The FACTS: definite answers that count, and that rest on no retracted acceptance."""
    out = struck(entries)
    answered = in_force(entries, EntryKind.ANSWERED)
    return tuple(entry for entry in answered if entry.fact is not None and entry.payload["accepted"] not in out)


def unanswered(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The questions that have no answer and were neither asked again nor retracted: the work on them ended early."""
    closed = {entry.asked for entry in entries} | {entry.payload.get("continues") for entry in entries}
    return tuple(entry for entry in in_force(entries, EntryKind.ASKED) if entry.number not in closed)


def entry_at(entries: Sequence[Entry], number: int) -> Entry:
    """The entry of this number."""
    if not 1 <= number <= len(entries):
        raise CaseError(f"there is no entry {number}: the case has 1 to {len(entries)}", "`soid case show` lists them.")
    return entries[number - 1]


def refuse_retraction(entries: Sequence[Entry], number: int) -> None:
    """Raise CaseError if the entry cannot be retracted."""
    entry = entry_at(entries, number)
    if entry.kind not in _RETRACTABLE:
        raise CaseError(f"entry {number} says what was {entry.kind.value}, which stays so", "Add a note to it.")
    if number in struck(entries):
        raise CaseError(f"entry {number} has been retracted already", "Retract the retraction to make it count again.")
    answer = next((one.number for one in entries if one.asked == number), None)
    if answer is not None:
        raise CaseError(f"entry {number} is a question that has its answer", f"Retract that: entry {answer}.")
