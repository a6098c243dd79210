"""Entries of a case on the terminal: in one line each, or as a fact with the notes about it."""

from __future__ import annotations

from soid.case.case import Case
from soid.case.record.entry import Entry, EntryKind
from soid.cli.terminal.terminal import Terminal


def show_fact(terminal: Terminal, case: Case, entry: Entry) -> None:
    """Show a fact as a sentence, the question that it answers, and what people noted about it."""
    assert entry.fact is not None
    terminal.blank()
    terminal.prose(entry.fact["statement"], indent=10, first=(f"  fact {entry.number}", "bold"))
    name = entry.payload["keyframe"]
    moment = f"step {entry.step}" + (f", {name}" if name else "")
    terminal.prose(f"{entry.question} ({moment})", indent=10, style="dim")
    show_notes(terminal, case, entry, indent=10)


def show_statement(terminal: Terminal, entry: Entry) -> None:
    """Show what an answer has established, if it has, as a sentence."""
    if entry.fact is not None:
        terminal.blank()
        terminal.prose(entry.fact["statement"], indent=8, first=("  fact", "bold"))


def show_notes(terminal: Terminal, case: Case, entry: Entry, *, indent: int = 2) -> None:
    for note in case.notes_on(entry.number):
        terminal.prose(f"{note.who}: {note.payload['text']}", indent=indent)


def about(entry: Entry) -> str:
    payload = entry.payload
    match entry.kind:
        case EntryKind.OPENED:
            return f"opened the case on {payload['program']}, {len(payload['files'])} files"
        case EntryKind.ASKED:
            again = f", again (entry {payload['continues']})" if payload["continues"] else ""
            return f"asked at step {entry.step}{again}: {entry.question}"
        case EntryKind.ANSWERED:
            return f"answered (entry {entry.asked}): {payload['answer']['verdict']}, {payload['answer']['reason']}"
        case EntryKind.FAILED:
            return f"not answered (entry {entry.asked}): {payload['error']['cause']}"
        case EntryKind.KEYFRAME:
            return f"step {entry.step} of {entry.log} is called {payload['name']}"
        case EntryKind.NOTE:
            return f"note on entry {payload['on']}: {payload['text']}"
        case EntryKind.RETRACTED:
            return f"retracted entry {payload['entry']}: {payload['why']}"
        case EntryKind.ACCEPTED:
            return f"accepted at step {entry.step}: {payload['mismatch']}; because: {payload['why']}"
        case EntryKind.NOTICED:
            return f"noticed about the {payload['about']}: {'; '.join(payload['found']) or 'all is as it was'}"


def day(when: str) -> str:
    """A time for people: without fractions of a second."""
    return when.replace("T", " ").partition(".")[0] + " UTC"
