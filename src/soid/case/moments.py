"""Moments of a case: steps of its logs, their names, and the accepted mismatches of log and program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from msgspec import Struct

from soid.case.record.entry import Entry, EntryKind
from soid.case.validity import in_force


@final
class Moment(Struct, frozen=True):
    """A step of one of the case's logs."""

    log: str  # its name in the case
    step: int
    name: str | None = None  # the keyframe's, if the question used it

    def is_of(self, entry: Entry) -> bool:
        """Whether an entry is about it."""
        return (entry.log, entry.step) == (self.log, self.step)


def keyframes(entries: Sequence[Entry]) -> dict[str, Moment]:
    """The moments that have a name."""
    named = (entry.payload for entry in in_force(entries, EntryKind.KEYFRAME))
    return {each["name"]: Moment(each["log"], each["step"], each["name"]) for each in named}


def acceptance(entries: Sequence[Entry], moment: Moment) -> int | None:
    """The number of the entry that accepts a mismatch of log and program at this moment."""
    accepted = [entry.number for entry in in_force(entries, EntryKind.ACCEPTED) if moment.is_of(entry)]
    return accepted[-1] if accepted else None
