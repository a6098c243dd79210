"""Moments of a case: steps of its logs, the names that they were given, and what was accepted about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from msgspec import Struct

from soid.case.record.entry import Entry, EntryKind
from soid.case.validity import in_force


@final
class Moment(Struct, frozen=True):
    """A step of one of the case's logs."""

    log: str  # by the name under which the case holds it
    step: int
    name: str | None = None  # the keyframe's, where it was asked for by it

    def is_of(self, entry: Entry) -> bool:
        """Whether an entry is about it."""
        return (entry.log, entry.step) == (self.log, self.step)


def keyframes(entries: Sequence[Entry]) -> dict[str, Moment]:
    """The moments that have a name."""
    named = (entry.payload for entry in in_force(entries, EntryKind.KEYFRAME))
    return {each["name"]: Moment(each["log"], each["step"], each["name"]) for each in named}


def acceptance(entries: Sequence[Entry], moment: Moment) -> int | None:
    """The entry by which it was accepted that log and program differ there."""
    accepted = [entry.number for entry in in_force(entries, EntryKind.ACCEPTED) if moment.is_of(entry)]
    return accepted[-1] if accepted else None
