"""`soid case`: make a case that lasts, add to it, show it and check it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from soid.case.case import Case, RecordedAnswer
from soid.case.custody.author_key import AuthorKey
from soid.case.custody.custody import Custody, Expectations
from soid.case.custody.ed25519 import fingerprint
from soid.case.custody.log_attestation import LogStatement, statement_of
from soid.case.deletion import deleted_in
from soid.case.record.entry import Entry, EntryKind
from soid.case.record.study_request import MapRequest
from soid.case.studies import recall
from soid.case.validity import entry_at, last_left_open, shaken, struck
from soid.cli import exits
from soid.cli.command_line.case_options import (
    AcceptOptions,
    AnchorOptions,
    ArchiveOptions,
    AskCaseOptions,
    AttestOptions,
    NameKeyframeOptions,
    NewCaseOptions,
    NoteOptions,
    RenameOptions,
    ResumeOptions,
    RetractOptions,
    ShowCaseOptions,
    UnarchiveOptions,
    VerifyCaseOptions,
)
from soid.cli.commands.ask_command import questions_of, settings_of
from soid.cli.commands.map_command import show_map
from soid.cli.output import print_json
from soid.cli.terminal.answers import show_answer
from soid.cli.terminal.custody_lines import show_custody
from soid.cli.terminal.entries import about, day, show_fact, show_notes, show_statement, show_study
from soid.cli.terminal.own_key import own_key
from soid.cli.terminal.progress import watched
from soid.cli.terminal.terminal import Terminal, warn
from soid.errors import CaseError
from soid.mapping.decision_map import read_map
from soid.oracle.inquiry import Settings
from soid.query.language.query_parser import parse
from soid.query.words import counted
from soid.solver.chain import NAMES, chain


def new(options: NewCaseOptions) -> int:
    file, quiet = options.file, options.as_json
    settings, logs = settings_of(options), options.traces
    stated = statement_of(options.log, options.log_sha256, options.log_signature, options.log_key, options.log_name)
    with created(
        file,
        options.project,
        title=options.title,
        logs=logs,
        stated=stated,
        who=options.who,
        quiet=quiet,
        settings=settings,
    ) as case:
        if options.as_json:
            print_json(case.entries[0].document)
        else:
            warn(case.warnings)
            terminal = Terminal.stdout()
            terminal.line((f"{file} is ready: it holds the project's {len(case.snapshot.files)} files.", ""))
            for entry in case.attested:
                terminal.line((f"entry {entry.number}: {about(entry)}", ""))
    return 0


def created(
    file: Path,
    project: Path,
    *,
    title: str = "",
    logs: tuple[Path, ...] = (),
    stated: LogStatement | None = None,
    who: str | None = None,
    key: AuthorKey | None = None,
    quiet: bool = False,
    settings: Settings | None = None,
) -> Case:
    """Make a case of a project; progress is shown while the program is compiled."""
    gone = next((each for each in deleted_in(file.parent) if each.file == file.name), None)
    if gone is not None:
        cause = f"a case in {file} was deleted by {gone.who}, {gone.when}"
        raise CaseError(cause, "Name another file: links to facts of that one would lead to this one.")
    signing = key or own_key()
    return watched(
        lambda _, __: Case.create(
            file, project, title=title, logs=logs, stated=stated, who=who, key=signing, settings=settings
        ),
        about="opening the project: ",
        quiet=quiet,
    )


def keyframe(options: NameKeyframeOptions) -> int:
    return add_entry(options, lambda case: case.keyframe(options.step, options.name, log=options.log))


def note(options: NoteOptions) -> int:
    return add_entry(options, lambda case: case.note(options.number, options.text))


def retract(options: RetractOptions) -> int:
    return add_entry(options, lambda case: case.retract(options.number, options.why))


def accept(options: AcceptOptions) -> int:
    return add_entry(options, lambda case: case.accept_log_mismatch(options.why, step=options.step, log=options.log))


def add_entry(
    options: NameKeyframeOptions
    | NoteOptions
    | RetractOptions
    | RenameOptions
    | ArchiveOptions
    | UnarchiveOptions
    | AcceptOptions
    | AttestOptions
    | AnchorOptions,
    change: Callable[[Case], Entry],
) -> int:
    with Case.open(options.file, who=options.who, key=own_key()) as case:
        entry = watched(lambda _, __: change(case), quiet=options.as_json)
        if options.as_json:
            print_json(entry.document)
        else:
            warn(case.warnings)
            Terminal.stdout().line((f"entry {entry.number}: {about(entry)}", ""))
    return 0


def verify(options: VerifyCaseOptions) -> int:
    """Check entries, signatures, time stamps and logs; an error says what is wrong with them."""
    expected = Expectations.of(options.keys, options.certificates)
    with Case.open(options.file, read_only=True) as case:
        last = case.verify_chain(options.head)
        found = case.custody(expected)
    if options.as_json:
        print_json({"holds": True, "entries": last.number, "head": last.hash, "custody": found})
    else:
        terminal = Terminal.stdout()
        terminal.line((f"The chain holds: {last.number} entries, and every file is what was put in.", ""))
        terminal.line(("Its last hash stands for all of it: ", ""), (last.hash, "bold"))
        show_custody(terminal, found, expected)
    return 0


def ask(options: AskCaseOptions) -> int:
    """Put the questions on the record, one after the other; the exit status tells the verdicts."""
    key = own_key()
    with (
        closing(chain(options.solvers or NAMES, cross_check=options.cross_check)) as solver,
        Case.open(options.file, who=options.who, settings=settings_of(options), solver=solver, key=key) as case,
    ):
        at = case.project_at(options.step, options.log)
        asked = questions_of(options.questions, at)
        for question in asked:  # none is put before all can be read
            parse(question, at.program.interface, at.trace)
        if not (options.as_json or options.quiet):
            warn(case.warnings)
        entries = [_answered(case, asked, number, options) for number in range(len(asked))]
    return exits.of_answers(entry.verdict.value for entry in entries if entry.verdict is not None)


def _answered(case: Case, asked: tuple[str, ...], number: int, options: AskCaseOptions) -> Entry:
    place = f" {number + 1} of {len(asked)}" if len(asked) > 1 else ""
    found = watched(
        lambda cancel, report: case.ask(
            asked[number], step=options.step, log=options.log, cancel=cancel, progress=report
        ),
        about=f"question{place}: ",
        quiet=options.quiet,
    )
    return _show_found(case, found, options, is_first=number == 0)


def _show_found(case: Case, found: RecordedAnswer, options: AskCaseOptions | ResumeOptions, *, is_first: bool) -> Entry:
    entry = found.entry
    if options.as_json:
        print_json(found.answer.document, entry=entry.number, hash=entry.hash, fact=entry.fact)
    elif options.quiet:
        print(found.answer.verdict.value, flush=True)
    else:
        terminal = Terminal.stdout()
        if not is_first:
            terminal.blank()
        _show_answer(terminal, case, entry, verbose=options.verbose, exact=options.exact)
        show_statement(terminal, entry)
    return entry


def resume(options: ResumeOptions) -> int:
    """Go on with a question that was left open."""
    key = own_key()
    with (
        closing(chain()) as solver,
        Case.open(options.file, who=options.who, settings=settings_of(options), solver=solver, key=key) as case,
    ):
        number = last_left_open(case.entries) if options.number is None else options.number
        if not (options.as_json or options.quiet):
            warn(case.warnings)
        found = watched(
            lambda cancel, report: case.resume(number, seconds=options.seconds, cancel=cancel, progress=report),
            about=f"entry {number}: ",
            quiet=options.quiet,
        )
        entry = _show_found(case, found, options, is_first=True)
    return exits.of_answers([entry.verdict.value] if entry.verdict is not None else [])


def _show_answer(terminal: Terminal, case: Case, entry: Entry, *, verbose: bool, exact: bool) -> None:
    keyframe = case.project_at(entry.step, entry.log).logged  # the answer has the rest
    answer = case.recall(entry.number)
    show_answer(terminal, answer, keyframe, heading=f"Entry {entry.number}", verbose=verbose, exact=exact)


def show(options: ShowCaseOptions) -> int:
    with Case.open(options.file, read_only=True) as case:
        found = case.custody()  # first: what is false is not shown
        entry = None if options.number is None else entry_at(case.entries, options.number)
        if options.as_json:
            print_json(_shown(case, found) if entry is None else entry.document)
            return 0
        warn(case.warnings)
        if entry is None:
            _show_all(Terminal.stdout(), case, found)
        else:
            _show_entry(Terminal.stdout(), case, entry, verbose=options.verbose, exact=options.exact)
    return 0


def _show_all(terminal: Terminal, case: Case, found: Custody) -> None:
    opened = case.entries[0]
    terminal.rule(case.title or opened.payload["program"], _counted(case))
    terminal.prose(f"{opened.payload['program']}; opened by {opened.who}, {day(opened.when)}")
    terminal.prose(f"logs: {', '.join(_log_called(case, log) for log in case.snapshot.logs)}")
    for fact in case.numbered_facts:
        show_fact(terminal, case, fact)
    for study in case.studies:
        show_study(terminal, case, study)
    for study, base in shaken(case.entries):
        terminal.blank()
        terminal.prose(f"entry {study.number} rests on entry {base}, which no longer counts", first=("! ", "bold red"))
    terminal.blank()
    out = struck(case.entries)
    rows = [
        (str(e.number), e.who, day(e.when), f"{about(e)}{' (retracted)' if e.number in out else ''}")
        for e in case.entries
    ]
    terminal.table(("entry", "who", "when", "what"), rows, wraps=("what",))
    terminal.blank()
    show_custody(terminal, found, Expectations())


def _log_called(case: Case, log: str) -> str:
    called = case.called(log)
    return log if called == log else f"{log} (came as {called!r})"


def _counted(case: Case) -> str:
    studies = [counted(len(case.studies), "study", "studies")] if case.studies else []
    entries = counted(len(case.entries), "entry", "entries")
    return ", ".join([counted(len(case.numbered_facts), "fact"), *studies, entries])


def _show_entry(terminal: Terminal, case: Case, entry: Entry, *, verbose: bool, exact: bool) -> None:
    if entry.kind is EntryKind.ANSWERED:
        _show_answer(terminal, case, entry, verbose=verbose, exact=exact)
    elif entry.kind is EntryKind.STUDIED and isinstance(recall(entry).wanted, MapRequest):
        made = read_map(entry.payload["result"], case.interface)
        show_map(terminal, made, f"entry {entry.number}, step {entry.step}")
    else:
        terminal.rule(f"Entry {entry.number}", entry.kind.value)
        terminal.prose(about(entry))
    terminal.blank()
    terminal.line((f"  {entry.who}, {entry.when}", "dim"))
    terminal.line((f"  {entry.hash}", "dim"))
    terminal.line((f"  signed with the key {fingerprint(entry.key)}" if entry.key else "  not signed", "dim"))
    show_notes(terminal, case, entry)


def _shown(case: Case, found: Custody) -> dict[str, Any]:
    entries = case.entries
    return {
        "title": case.title,
        "program": entries[0].payload["program"],
        "logs": list(case.snapshot.logs),
        "keyframes": {name: {"log": each.log, "step": each.step} for name, each in case.keyframes.items()},
        "facts": [fact.document for fact in case.numbered_facts],
        "studies": [study.number for study in case.studies],
        "retracted": sorted(struck(entries)),
        "unanswered": [entry.number for entry in case.unanswered],
        "warnings": list(case.warnings),
        "head": entries[-1].hash,
        "custody": found,
        "entries": [entry.document for entry in entries],
    }
