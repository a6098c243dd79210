"""Entries of a case on the terminal: in one line each, or as a fact with the notes about it."""

from __future__ import annotations

from typing import Final

from soid.case.case import Case
from soid.case.numbered_facts import NumberedFact
from soid.case.record.entry import Entry, EntryKind
from soid.case.report.fact_words import doubts, follows, repetitions
from soid.cli.terminal.terminal import Terminal


def show_fact(terminal: Terminal, case: Case, fact: NumberedFact) -> None:
    """Show a fact as a sentence, the question that it answers, its repetitions, and what people noted about it."""
    entry, entries = fact.entry, case.entries
    terminal.blank()
    terminal.prose(fact.statement, indent=10, first=(f"  fact {fact.number}", "bold"))
    name = entry.payload["keyframe"]
    moment = f"step {entry.step}" + (f", {name}" if name else "")
    terminal.prose(f"{entry.question} ({moment}, entry {entry.number})", indent=10, style="dim")
    for doubt in doubts(fact, entries):
        terminal.prose(doubt, indent=10, style="bold red")
    for said in (follows(fact), *repetitions(fact, entries)):
        terminal.prose(said, indent=10)
    for each in fact.entries:
        show_notes(terminal, case, each, indent=10)


def show_study(terminal: Terminal, case: Case, entry: Entry) -> None:
    """Show what a study has found, and what people noted about it."""
    terminal.blank()
    kind = entry.payload["wanted"]["kind"]
    terminal.prose(entry.payload["statement"], indent=10, first=(f"  {kind} {entry.number}  ", "bold"))
    show_notes(terminal, case, entry, indent=10)


def show_statement(terminal: Terminal, entry: Entry) -> None:
    """Show what an answer has established, if it has, as a sentence."""
    if entry.fact is not None:
        terminal.blank()
        terminal.prose(entry.fact["statement"], indent=8, first=("  fact", "bold"))


def show_notes(terminal: Terminal, case: Case, entry: Entry, *, indent: int = 2) -> None:
    for note in case.notes_on(entry.number):
        terminal.prose(f"{note.who}: {note.payload['text']}", indent=indent)


#: an entry in one line
ABOUT: Final = {
    EntryKind.OPENED: "opened the case on {program}, {count} files",
    EntryKind.ASKED: "asked at step {step}{again}: {question}",
    EntryKind.ANSWERED: "answered (entry {asked}): {answer[verdict]}, {answer[reason]}",
    EntryKind.FAILED: "not answered (entry {asked}): {error[cause]}",
    EntryKind.KEYFRAME: "step {step} of {log} is called {name}",
    EntryKind.NOTE: "note on entry {on}: {text}",
    EntryKind.RETRACTED: "retracted entry {entry}: {why}",
    EntryKind.ACCEPTED: "accepted at step {step}: {mismatch}; because: {why}",
    EntryKind.NOTICED: "noticed about the {about}: {found}",
    EntryKind.ATTESTED: "{stated}",
    EntryKind.COMPARED: "compared {log} with the program, step by step: {told}",
    EntryKind.STUDIED: "studied at step {step}, {wanted[kind]}: {statement}",
    EntryKind.RENAMED: "called the case: {title}",
    EntryKind.ARCHIVED: "archived the case: {why}",
    EntryKind.ANCHORED: "entries 1 to {entries} existed at {time}, according to {authority}",
}


def about(entry: Entry) -> str:
    return entry.told(ABOUT)


def day(when: str) -> str:
    """A time for people: without fractions of a second."""
    return when.replace("T", " ").partition(".")[0] + " UTC"
