"""`soid case`: cases that last, made, added to, shown and checked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from soid.budget import Cancellation
from soid.case.case import Case
from soid.case.record.entry import Entry, EntryKind
from soid.case.validity import entry_at, struck
from soid.cli import exits
from soid.cli.answers import show_answer
from soid.cli.ask import Options, questions
from soid.cli.terminal import Terminal
from soid.cli.watching import Report, watched
from soid.documents import json_of
from soid.query.language.query_parser import parse
from soid.solver.chain import NAMES, chain


def new(file: Path, project: Path, logs: tuple[Path, ...], *, title: str, who: str | None, as_json: bool) -> int:
    """Make a case file."""

    def make(_: Cancellation, __: Report) -> Case:
        return Case.create(file, project, title=title, logs=logs, who=who)

    with watched(make, about="opening the project: ", quiet=as_json) as case:
        if as_json:
            _print(json_of(case.entries[0].document))
            return 0
        ready = f"{file} is ready: it holds the project's {len(case.snapshot.files)} files."
        Terminal.stdout().line((ready, ""))
    return 0


def add(file: Path, change: Callable[[Case], Entry], *, who: str | None, as_json: bool) -> int:
    """Add one entry."""
    with Case.open(file, who=who) as case:
        entry = watched(lambda _, __: change(case), quiet=as_json)
        _warn(case, as_json=as_json)
        if as_json:
            _print(json_of(entry.document))
        else:
            Terminal.stdout().line((f"entry {entry.number}: {about(entry)}", ""))
    return 0


def verify(file: Path, head: str | None, *, as_json: bool) -> int:
    """Check the chain; what is wrong with it is raised."""
    with Case.open(file, read_only=True) as case:
        last = case.verify_chain(head)
    if as_json:
        _print({"holds": True, "entries": last.number, "head": last.hash})
    else:
        terminal = Terminal.stdout()
        terminal.line((f"The chain holds: {last.number} entries, and every file is what was put in.", ""))
        terminal.line(("Its last hash stands for all of it: ", ""), (last.hash, "bold"))
    return 0


# --- asking ---------------------------------------------------------------------------------------------------


def ask(file: Path, options: Options, *, step: str | None, log: str | None, who: str | None) -> int:
    """Put the questions on the record, one after the other; the exit status says what came of them."""
    solver = chain(options.solvers or NAMES, cross_check=options.cross_check)
    try:
        with Case.open(file, who=who, settings=options.settings(), solver=solver) as case:
            asked = questions(options, case.case_at(step, log))
            for question in asked:  # none is put before all can be read
                parse(question, case.case_at(step, log).program.interface)
            _warn(case, as_json=options.as_json or options.quiet)
            entries = [_answered(case, asked, number, options, step, log) for number in range(len(asked))]
    finally:
        solver.close()
    return exits.of_answers(entry.verdict.value for entry in entries if entry.verdict is not None)


def _answered(
    case: Case, asked: tuple[str, ...], number: int, options: Options, step: str | None, log: str | None
) -> Entry:
    """One of the questions, put on the record and then said."""
    place = f" {number + 1} of {len(asked)}" if len(asked) > 1 else ""

    def do(cancel: Cancellation, report: Report) -> Entry:
        return case.ask(asked[number], step=step, log=log, cancel=cancel, progress=report)

    entry = watched(do, about=f"question{place}: ", quiet=options.quiet)
    assert entry.answer is not None and entry.verdict is not None
    if options.as_json:
        _print(
            {
                "entry": entry.number,
                "hash": entry.hash,
                **json_of(case.recall(entry.number).document),
                "fact": entry.fact,
            }
        )
    elif options.quiet:
        print(entry.verdict.value, flush=True)
    else:
        terminal = Terminal.stdout()
        if number:
            terminal.blank()
        _show_answer(terminal, case, entry, heading=f"Entry {entry.number}", verbose=options.verbose)
        if entry.fact is not None:
            terminal.blank()
            terminal.prose(entry.fact["statement"], indent=8, first=("  fact", "bold"))
    return entry


def _show_answer(terminal: Terminal, case: Case, entry: Entry, *, heading: str, verbose: bool) -> None:
    keyframe = case.case_at(entry.step, entry.log).keyframe
    show_answer(terminal, case.recall(entry.number), keyframe, heading=heading, verbose=verbose)


# --- showing --------------------------------------------------------------------------------------------------


def show(file: Path, *, as_json: bool) -> int:
    """The facts, then all entries."""
    with Case.open(file, read_only=True) as case:
        _warn(case, as_json=as_json)
        if as_json:
            _print(_to_json(case))
            return 0
        terminal = Terminal.stdout()
        opened = case.entries[0]
        terminal.rule(case.title or opened.payload["program"], f"{len(case.facts)} facts, {len(case.entries)} entries")
        terminal.prose(f"{opened.payload['program']}; opened by {opened.who}, {_day(opened.when)}")
        terminal.prose(f"logs: {', '.join(case.snapshot.logs)}")
        for fact in case.facts:
            show_fact(terminal, case, fact)
        terminal.blank()
        out = struck(case.entries)
        rows = [
            (str(e.number), e.who, _day(e.when), f"{about(e)}{' (retracted)' if e.number in out else ''}")
            for e in case.entries
        ]
        terminal.table(("entry", "who", "when", "what"), rows, wraps=("what",))
    return 0


def show_fact(terminal: Terminal, case: Case, entry: Entry) -> None:
    """A fact as a sentence, the question it answers, and what people noted about it."""
    assert entry.fact is not None
    terminal.blank()
    terminal.prose(entry.fact["statement"], indent=10, first=(f"  fact {entry.number}", "bold"))
    name = entry.payload["keyframe"]
    moment = f"step {entry.step}" + (f", {name}" if name else "")
    terminal.prose(f"{entry.question} ({moment})", indent=10, style="dim")
    for note in case.notes_on(entry.number):
        terminal.prose(f"{note.who}: {note.payload['text']}", indent=10)


def show_entry(file: Path, number: int, *, as_json: bool, verbose: bool) -> int:
    """One entry in full."""
    with Case.open(file, read_only=True) as case:
        entry = entry_at(case.entries, number)
        _warn(case, as_json=as_json)
        if as_json:
            _print(json_of(entry.document))
            return 0
        terminal = Terminal.stdout()
        if entry.kind is EntryKind.ANSWERED:
            _show_answer(terminal, case, entry, heading=f"Entry {number}", verbose=verbose)
        else:
            terminal.rule(f"Entry {number}", entry.kind.value)
            terminal.prose(about(entry))
        terminal.blank()
        terminal.line((f"  {entry.who}, {entry.when}", "dim"))
        terminal.line((f"  {entry.hash}", "dim"))
        for note in case.notes_on(number):
            terminal.prose(f"{note.who}: {note.payload['text']}")
    return 0


def about(entry: Entry) -> str:
    """An entry in one line."""
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


def _day(when: str) -> str:
    """Without fractions of a second, for people."""
    return when.replace("T", " ").partition(".")[0] + " UTC"


def _to_json(case: Case) -> dict[str, Any]:
    entries = case.entries
    return {
        "title": case.title,
        "program": entries[0].payload["program"],
        "logs": list(case.snapshot.logs),
        "keyframes": {name: {"log": each.log, "step": each.step} for name, each in case.keyframes.items()},
        "facts": [fact.number for fact in case.facts],
        "retracted": sorted(struck(entries)),
        "unanswered": [entry.number for entry in case.unanswered],
        "warnings": list(case.warnings),
        "head": entries[-1].hash,
        "entries": [json_of(entry.document) for entry in entries],
    }


def _print(said: dict[str, Any]) -> None:
    print(json.dumps(said, ensure_ascii=False), flush=True)


def _warn(case: Case, *, as_json: bool) -> None:
    """What opening the case has brought to light; on standard error, for people."""
    if not as_json:
        for warning in case.warnings:
            Terminal.stderr().prose(warning, indent=9, first=("warning: ", "bold yellow"))
