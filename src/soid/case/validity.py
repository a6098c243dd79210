"""Which entries of a record count, and which moments and conclusions they name.

Entries are never removed, later entries retract them. A retraction may itself be retracted; then the entry that it
retracted counts again.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import Final, final

from msgspec import Struct

from soid.case.record.entry import Entry, EntryKind
from soid.errors import CaseError
from soid.oracle.answer import Verdict
from soid.surface import Advice

#: the remedy where another entry was meant
LISTED: Final = Advice(
    command="`soid case show` lists the entries.",
    python="`case.entries` are those that there are.",
    page="The record lists its entries.",
)

_ARCHIVED: Final = Advice(
    command="Bring it back first: `soid case unarchive`.",
    python="Bring it back first: case.unarchive().",
    page="Bring it back first, in the list of cases.",
)

#: entries that say what happened, and stay so
_LASTING: Final = (
    EntryKind.OPENED,
    EntryKind.FAILED,
    EntryKind.NOTICED,
    EntryKind.ATTESTED,
    EntryKind.COMPARED,
    EntryKind.ANCHORED,
)

_CONCLUSION: Final = re.compile(r"conclusion of (?P<script>.+?): (?P<text>.+)", re.DOTALL)


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


def studies(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The studies that count, and that rest on no retracted acceptance or answer."""
    standing = {fact.number for fact in facts(entries)}
    return tuple(entry for entry in in_force(entries, EntryKind.STUDIED) if not fallen_base(entries, entry, standing))


def shaken(entries: Sequence[Entry]) -> tuple[tuple[Entry, int], ...]:
    """The studies that were not retracted and rest on what no longer counts, each with that entry's number."""
    standing = {fact.number for fact in facts(entries)}
    found = ((entry, fallen_base(entries, entry, standing)) for entry in in_force(entries, EntryKind.STUDIED))
    return tuple((entry, base) for entry, base in found if base is not None)


def fallen_base(entries: Sequence[Entry], study: Entry, standing: Container[int]) -> int | None:
    """The entry that a study rests on and that no longer counts; None if there is none."""
    accepted, explained = study.payload["accepted"], study.payload["wanted"].get("entry")
    if accepted is not None and accepted in struck(entries):
        return int(accepted)
    return explained if explained is not None and explained not in standing else None


def explained(entries: Sequence[Entry], number: int) -> Entry:
    """The answer that can be explained: a FACT that counts."""
    found = next((fact for fact in facts(entries) if fact.number == number), None)
    if found is None:
        raise CaseError(f"entry {number} is no fact that counts", f"Explain a yes or a no. {LISTED}")
    return found


def left_open(entries: Sequence[Entry], number: int) -> Entry:
    """The answer that can be resumed: an unknown that counts."""
    found = next((one for one in in_force(entries, EntryKind.ANSWERED) if one.number == number), None)
    if found is None or found.verdict is not Verdict.UNKNOWN:
        raise CaseError(f"entry {number} is no answer that is still open", "Resume an unknown, such as the last one.")
    return found


def last_left_open(entries: Sequence[Entry]) -> int:
    """The number of the last answer that can be resumed."""
    unknown = [one.number for one in in_force(entries, EntryKind.ANSWERED) if one.verdict is Verdict.UNKNOWN]
    if not unknown:
        raise CaseError("no answer of the case is open", "There is nothing to resume.")
    return unknown[-1]


def unanswered(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The questions that have no answer and were neither asked again nor retracted: the work on them ended early."""
    closed = {entry.asked for entry in entries} | {entry.payload.get("continues") for entry in entries}
    return tuple(entry for entry in in_force(entries, EntryKind.ASKED) if entry.number not in closed)


def notes_on(entries: Sequence[Entry], number: int) -> tuple[Entry, ...]:
    """The notes on an entry that count."""
    return tuple(note for note in in_force(entries, EntryKind.NOTE) if note.payload["on"] == number)


def entry_at(entries: Sequence[Entry], number: int) -> Entry:
    """The entry of this number."""
    if not 1 <= number <= len(entries):
        raise CaseError(f"there is no entry {number}: the case has 1 to {len(entries)}", LISTED)
    return entries[number - 1]


def refuse_retraction(entries: Sequence[Entry], number: int) -> None:
    """Raise CaseError if the entry cannot be retracted."""
    entry = entry_at(entries, number)
    if entry.kind in _LASTING:
        raise CaseError(f"entry {number} says what was {entry.kind.value}, which stays so", "Add a note to it.")
    if number in struck(entries):
        raise CaseError(f"entry {number} has been retracted already", "Retract the retraction to make it count again.")
    answer = next((one.number for one in entries if one.asked == number), None)
    if answer is not None:
        raise CaseError(f"entry {number} is a question that has its answer", f"Retract that: entry {answer}.")


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


def title(entries: Sequence[Entry]) -> str:
    """What the case is called: as it was named last, else as it was opened."""
    renamed = in_force(entries, EntryKind.RENAMED)
    return str((renamed[-1] if renamed else entries[0]).payload["title"])


def archived(entries: Sequence[Entry]) -> int | None:
    """The number of the entry that archives the case; None if it is open."""
    found = in_force(entries, EntryKind.ARCHIVED)
    return found[-1].number if found else None


def refuse_if_archived(entries: Sequence[Entry]) -> None:
    """Raise CaseError if the case is archived: nothing is added to it."""
    number = archived(entries)
    if number is not None:
        problem = f"the case is archived: {entries[number - 1].payload['why']}"
        raise CaseError(problem, _ARCHIVED)


def as_note(script: str, text: str) -> str:
    """The text of the note that records a conclusion of a script, on the answer that led to it.

    >>> as_note("oven.soid", "it ignores errors")
    'conclusion of oven.soid: it ignores errors'
    """
    return f"conclusion of {script}: {text}"


def is_conclusion(text: str) -> bool:
    """Whether the text of a note is read as the conclusion of a script."""
    return _CONCLUSION.fullmatch(text) is not None


@final
class ScriptConclusion(Struct, frozen=True):
    """A conclusion that a script drew from the answers."""

    note: Entry
    script: str  # the file's name
    text: str
    doubt: str  # why it may no longer hold; empty if there is no such reason


def conclusions(entries: Sequence[Entry]) -> tuple[ScriptConclusion, ...]:
    """The conclusions that were not retracted."""
    found = ((note, _CONCLUSION.fullmatch(note.payload["text"])) for note in in_force(entries, EntryKind.NOTE))
    return tuple(
        ScriptConclusion(note, match["script"], match["text"], _doubt(entries, note)) for note, match in found if match
    )


def _doubt(entries: Sequence[Entry], note: Entry) -> str:
    """A script uses many answers, and its note names only the last: any fact retracted since may be one of them."""
    last, standing = entries[note.payload["on"] - 1], _established(entries)
    established = last.fact is not None or last.kind is EntryKind.STUDIED
    if last.number in struck(entries) or (established and last.number not in standing):
        return f"the answer that it rests on, entry {last.number}, no longer counts"
    fallen = [number for number in _established(entries[: note.number - 1]) if number not in standing]
    if fallen:
        named = ", ".join(f"entry {number}" for number in fallen)
        return f"since it was drawn, answers that had counted before it no longer do: {named}"
    return ""


def _established(entries: Sequence[Entry]) -> list[int]:
    """The numbers of the FACTS and of the studies that count."""
    return sorted(entry.number for entry in (*facts(entries), *studies(entries)))
