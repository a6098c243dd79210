"""The entries of the record in words, and those of them that correct others."""

from __future__ import annotations

from typing import assert_never

from soid.case.record.entry import Entry, EntryKind
from soid.case.report.contents import Contents
from soid.case.report.markup import Html, element, together
from soid.case.report.phrases import moment_in_time, sentence_of


def corrections(contents: Contents) -> list[Html]:
    """Retractions, acceptances and notices, each as a line of a list."""
    kinds = (EntryKind.RETRACTED, EntryKind.ACCEPTED, EntryKind.NOTICED)
    return [_line(contents, entry) for entry in contents.entries if entry.kind in kinds]


def loose_notes(contents: Contents) -> list[Html]:
    """Notes that the report shows nowhere else."""
    shown = {each.number for each in (*contents.facts, *contents.neither, *contents.withdrawn)}
    notes = [each for each in contents.entries if each.kind is EntryKind.NOTE]
    return [
        _line(contents, each) for each in notes if each.payload["on"] not in shown or each.number in contents.struck
    ]


def _line(contents: Contents, entry: Entry) -> Html:
    gone = entry.number in contents.struck
    text = sentence_of(about(entry))
    return together(
        element("s", text) if gone else text,
        " It no longer counts." if gone else "",
        element("span", f" {entry.who}, {moment_in_time(entry.when)}, entry {entry.number}", class_="by"),
    )


def about(entry: Entry) -> str:
    """An entry in one line."""
    payload = entry.payload
    match entry.kind:
        case EntryKind.OPENED:
            return f"opened the case on {payload['program']}, with {len(payload['files'])} files"
        case EntryKind.ASKED:
            again = f", again (entry {payload['continues']})" if payload["continues"] else ""
            return f"asked at step {entry.step}{again}: {entry.question}"
        case EntryKind.ANSWERED:
            return f"entry {entry.asked} answered: {payload['answer']['verdict']}, {payload['answer']['reason']}"
        case EntryKind.FAILED:
            return f"entry {entry.asked} not answered: {payload['error']['cause']}"
        case EntryKind.KEYFRAME:
            return f"called step {entry.step} of {entry.log} “{payload['name']}”"
        case EntryKind.NOTE:
            return f"noted on entry {payload['on']}: {payload['text']}"
        case EntryKind.RETRACTED:
            return f"retracted entry {payload['entry']}, because: {payload['why']}"
        case EntryKind.ACCEPTED:
            differ = f"that log and program differ ({payload['mismatch']})"
            return f"accepted at step {entry.step} {differ}, because: {payload['why']}"
        case EntryKind.NOTICED:
            return f"noticed about the {payload['about']}: {'; '.join(payload['found']) or 'all is as it was'}"
        case _:
            assert_never(entry.kind)
