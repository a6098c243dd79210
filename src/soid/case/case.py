"""The Case: a persistent investigation. The CLEAR loop of the paper's Algorithm 1, with a record on the disk.

>>> import tempfile
>>> from soid.examples import folder
>>> scratch = tempfile.TemporaryDirectory()
>>> file = Path(scratch.name) / "oven.case"
>>> with Case.create(file, folder("microwave"), title="The oven", who="ada") as case:
...     moment = case.keyframe(3, "the error")
...     answered = case.ask("might action == CANCEL if heat is anything", step="the error").entry
...     note = case.note(answered.number, "so the heater matters")
>>> answered.number, answered.verdict.value, answered.fact["statement"]
(4, 'yes', 'It would cancel, had the heater been false instead of true; all else as at step 3.')

Later, here or on another machine:

>>> with Case.open(file, who="ben") as case:
...     [(entry.number, entry.kind.value, entry.who) for entry in case.entries]
...     [fact.question for fact in case.facts]
...     case.verify_chain().number
[(1, 'opened', 'ada'), (2, 'keyframe', 'ada'), (3, 'asked', 'ada'), (4, 'answered', 'ada'), (5, 'note', 'ada')]
['might action == CANCEL if heat is anything']
5
>>> scratch.cleanup()

A question is on the disk before its answer is computed, and an answer before it is returned.
"""

from __future__ import annotations

import getpass
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self, Unpack, final

from msgspec import Struct
from msgspec.structs import asdict, replace

from soid.budget import Cancellation
from soid.case import stored_answer, studies, validity
from soid.case.background_work import in_background
from soid.case.bundle_origin import is_origin, made_of
from soid.case.custody.anchor import CaseAnchor, anchor, stamped
from soid.case.custody.author_key import AuthorKey, author_key
from soid.case.custody.custody import Custody, Expectations, custody
from soid.case.custody.ed25519 import SigningKey
from soid.case.custody.log_attestation import LogStatement
from soid.case.custody.time_stamp import nonce_in
from soid.case.facts import fact_of
from soid.case.held_project import HeldProject
from soid.case.implications import Implications, StatedFact, stated
from soid.case.numbered_facts import NumberedFact, numbered_facts
from soid.case.project import Project
from soid.case.record.entry import Entry, EntryKind
from soid.case.record.record import Record
from soid.case.record.study_request import ExplanationRequest, Request
from soid.case.snapshot import Snapshot, take
from soid.case.validity import Moment
from soid.documents import json_of
from soid.errors import CalledOff, CaseError, ChainError, KeyframeError, ManifestError, SoidError
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import MORE_SECONDS, Limits, QuestionProgress, Settings
from soid.oracle.log_walk import EXPLORING, ComparedStep
from soid.oracle.whole_log import LISTED, LogComparison
from soid.program.interface import Interface
from soid.release import version
from soid.scenario.moment_value import MomentValue, typed_moment
from soid.scenario.typed_step import is_time, step_of
from soid.scene.scene import Scene, scene_of
from soid.shown import Shown
from soid.solver.protocol import Solver

Clock = Callable[[], datetime]

_REMEMBERED: Final = 2000  # answers


def now() -> datetime:
    return datetime.now(UTC)


@final
class RecordedAnswer(Shown, Struct, frozen=True):
    """An answer, and the entry that keeps it."""

    entry: Entry
    answer: Answer


@final
class ComparedLog(Shown, Struct, frozen=True):
    """What comparing a log with the program has found, and the entry that keeps it."""

    entry: Entry
    result: LogComparison


@final
class RecordedStudy(Shown, Struct, frozen=True):
    """The causes of what happened, a map or an explanation, and the entry that keeps it."""

    entry: Entry
    result: studies.Studied


@final
class Case(Shown):
    """An open case; a context manager that closes its solvers. Several threads may use it."""

    def __init__(
        self,
        record: Record,
        *,
        who: str | None,
        clock: Clock,
        settings: Settings | None,
        solver: Solver | None,
        key: AuthorKey | None,
    ) -> None:
        self.record = record
        self._key = key  # None: not looked for yet
        self.who = _plain(who or default_user())
        self.settings = settings or Settings()
        self.warnings: tuple[str, ...] = ()  # what a reader of the case should know
        if key is not None and key.warning:
            self.warnings = (key.warning,)
        self._clock = clock
        self._held = HeldProject(Snapshot.from_json(record.entries[0].payload), record.content, self.settings, solver)
        self._lock = threading.RLock()  # guards the held project and `who`
        self._answers: dict[int, Answer] = {}  # by entry number
        self._numbered: tuple[int, tuple[NumberedFact, ...]] | None = None  # the facts, and how many entries there were
        self._implications = Implications(self._stated)
        self._compiler_compared = False
        self._look_around()

    @classmethod
    def create(
        cls,
        file: Path | str,
        project: Path | str,
        *,
        title: str = "",
        logs: Sequence[Path | str] = (),
        stated: LogStatement | None = None,
        who: str | None = None,
        clock: Clock = now,
        settings: Settings | None = None,
        solver: Solver | None = None,
        stranger: bool = False,
        called: Mapping[str, str] | None = None,
        key: AuthorKey | None = None,
    ) -> Self:
        """Open a new case on a project: a folder with a `soid.toml`, or that file. The case holds a copy of its files.

        `logs` are further logs beside the one that the manifest names. `stated` is what was noted about one of them
        at the scene; if the log is another one, no case is made. Entries are signed with `key`, by default the
        account's. A `stranger` wrote the program: it is compiled where nothing but its own files can be seen.
        `called` says under which names files came that are held under others, by their paths in the case. An existing
        case file is never replaced.
        """
        chosen = settings or Settings()
        with chosen.opening():
            taken = take(project, logs, stranger=stranger)
        held = HeldProject(taken.snapshot, taken.contents.__getitem__, chosen, solver)
        try:
            if stated is not None:
                stated.payload(held.log(stated.log), taken.content(held.log(stated.log)))
            for log in taken.snapshot.logs:
                project_of_log = held.project(log)  # every log must be readable before a case is made
            compiled = held.fingerprint()
        finally:
            held.close()
        payload: dict[str, Any] = {"title": title, "program": project_of_log.program.name}
        payload |= {"soid": version(), "compiled": compiled}
        held_files = {each.path for each in taken.snapshot.files}
        if names := {path: name for path, name in (called or {}).items() if path in held_files}:
            payload["called"] = names
        signing = key or author_key()
        record = Record.create(
            Path(file),
            who=_plain(who or default_user()),
            when=_written(clock()),
            payload=payload | json_of(taken.snapshot),
            contents=taken.contents,
            signer=signing.key,
        )
        case = cls(record, who=who, clock=clock, settings=settings, solver=solver, key=signing)
        if stated is not None:
            case.attest_log(stated)
        return case

    @classmethod
    def open(
        cls,
        file: Path | str,
        *,
        who: str | None = None,
        clock: Clock = now,
        settings: Settings | None = None,
        solver: Solver | None = None,
        read_only: bool = False,
        key: AuthorKey | None = None,
    ) -> Self:
        """Open a case; `warnings` then says what a reader should know. A broken chain is a ChainError.

        Entries are signed with `key`, by default the account's, which is looked for when the first entry is added.
        """
        place = Path(file)
        read_only = read_only or (place.exists() and not os.access(place, os.W_OK))
        record = Record(place, read_only=read_only)
        return cls(record, who=who, clock=clock, settings=settings, solver=solver, key=key)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled as its file, which is opened anew there, with solvers of its own and the account's key."""
        return _opened_anew, (self.record.file.absolute(), self.who, self.settings, self.record.read_only)

    def __repr__(self) -> str:
        return f"Case({str(self.record.file)!r}: {len(self.entries)} entries)"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the solvers, unless the caller supplied them. Everything is on the disk already."""
        with self._lock:
            self._held.close()

    def speak_as(self, who: str) -> None:
        """Record entries under this name from now on."""
        self.who = _plain(who)

    @contextmanager
    def speaking_as(self, who: str) -> Iterator[None]:
        """Record entries under this name inside the block; other threads wait. Several people share one open case."""
        with self._lock:
            before, self.who = self.who, _plain(who)
            try:
                yield
            finally:
                self.who = before

    # --- what is known

    @property
    def title(self) -> str:
        return validity.title(self.entries)

    @property
    def snapshot(self) -> Snapshot:
        """The files of the project, as the case holds them."""
        return self._held.snapshot

    @property
    def entries(self) -> tuple[Entry, ...]:
        return self.record.entries

    @property
    def facts(self) -> tuple[Entry, ...]:
        """The answers that establish FACTS: the definite ones that count."""
        return validity.facts(self.entries)

    @property
    def numbered_facts(self) -> tuple[NumberedFact, ...]:
        """The FACTS, one a statement, each with the others that imply it or that it contradicts."""
        return self.numbered_facts_of(self.entries)

    def numbered_facts_of(self, entries: Sequence[Entry]) -> tuple[NumberedFact, ...]:
        """The FACTS as they were after the first entries of the record, whatever was added since."""
        with self._lock:
            if self._numbered is None or self._numbered[0] != len(entries):
                self._numbered = len(entries), self._related(numbered_facts(entries))
            return self._numbered[1]

    def _related(self, found: Sequence[NumberedFact]) -> tuple[NumberedFact, ...]:
        """The facts with what they say of each other, if the program can be opened here."""
        try:
            return self._implications.related(found)
        except SoidError as error:
            self.warnings += (f"which facts follow from others was not looked at: {error.cause}",)
            return tuple(found)

    def _stated(self, fact: NumberedFact) -> StatedFact:
        entry, answer = fact.entry, self.recall(fact.answer)
        assert entry.answer is not None
        logged = self.project_at(entry.step, entry.log).logged
        moment = stored_answer.moment_of(entry.answer, answer.query.moment(logged))
        return stated(fact, answer, answer.course(moment))

    @property
    def studies(self) -> tuple[Entry, ...]:
        """The causes, maps and explanations that count."""
        return validity.studies(self.entries)

    @property
    def unanswered(self) -> tuple[Entry, ...]:
        """Questions that were asked and have no answer: ask them again to go on."""
        return validity.unanswered(self.entries)

    @property
    def retracted(self) -> frozenset[int]:
        """The numbers of the entries that no longer count."""
        return validity.struck(self.entries)

    @property
    def archived(self) -> int | None:
        """The number of the entry that archives the case; None if it can be added to."""
        return validity.archived(self.entries)

    @property
    def logs(self) -> tuple[str, ...]:
        return self.snapshot.logs

    @property
    def attested(self) -> tuple[Entry, ...]:
        """The statements about where logs come from; each was checked when it was recorded."""
        return tuple(entry for entry in self.entries if entry.kind is EntryKind.ATTESTED)

    def called(self, path: str) -> str:
        """The name under which a file came that the case holds; its path if that is how it came."""
        return str(self.entries[0].payload.get("called", {}).get(path, path))

    def entry(self, number: int) -> Entry:
        return validity.entry_at(self.entries, number)

    @property
    def keyframes(self) -> dict[str, Moment]:
        """The moments that have a name."""
        return validity.keyframes(self.entries)

    def notes_on(self, number: int) -> tuple[Entry, ...]:
        """The notes on an entry that count."""
        return validity.notes_on(self.entries, number)

    def answer_to(self, question: str, *, step: MomentValue | None = None, log: str | None = None) -> Entry | None:
        """The last answer on the record to this question about this moment, if it counts."""
        moment = self.moment(step, log)
        text = self.project_at(step, log).normal_text(question)
        answers = validity.in_force(self.entries, EntryKind.ANSWERED)
        return next((one for one in reversed(answers) if one.question == text and moment.is_of(one)), None)

    def recall(self, number: int) -> Answer:
        """The answer of an entry, read from the record."""
        with self._lock:
            if number not in self._answers:
                entry = self.entry(number)
                if entry.answer is None:
                    raise CaseError(f"entry {number} is no answer", validity.LISTED)
                if len(self._answers) >= _REMEMBERED:
                    self._answers.clear()
                keyframe = self.project_at(entry.step, entry.log).logged  # the record has what was derived
                try:
                    self._answers[number] = stored_answer.recall(entry.answer, keyframe)
                except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
                    problem = f"entry {number} does not hold an answer as soid writes it ({type(error).__name__})"
                    raise CaseError(problem, "It was not made by soid: do not trust it.") from error
            return self._answers[number]

    def verify_chain(self, head: str | None = None) -> Entry:
        """Check every entry in the file; a ChainError names the first one that was changed.

        Returns the last entry. Its hash covers the whole case: given later as `head`, it shows whether any entry up to
        it was changed or removed.
        """
        last = self.record.verify()
        if head is not None and head.strip().lower() not in {entry.hash for entry in self.entries}:
            cause = f"{self.record.file}: no entry has the hash {head}"
            raise ChainError(cause, "Entries were taken away or written anew since it was noted down.", entry=None)
        return last

    def custody(self, expected: Expectations | None = None) -> Custody:
        """Who signed what, what is unsigned, which time stamps and statements about logs there are, all checked again.

        ChainError if something is not as `expected`, or if an entry, a time stamp or a statement about a log is false.
        """
        last = self.verify_chain()
        try:
            return custody(self.entries[: last.number], self._content, expected)
        except ChainError:
            raise
        except CaseError as error:
            raise ChainError(f"{self.record.file}: {error.cause}", error.remedy, entry=None) from error

    # --- the program and its logs

    def moment(self, step: MomentValue | None = None, log: str | None = None) -> Moment:
        """The moment of a step's number or a time, as `Project.at` takes them, or of a keyframe's name.

        By default it is the one that the manifest names.
        """
        wanted = None if step is None else typed_moment(step)
        named = self.keyframes.get(wanted) if isinstance(wanted, str) else None
        if named is not None:
            return named
        if isinstance(wanted, str) and not (wanted.isdecimal() or is_time(wanted)):
            known = ", ".join(self.keyframes) or "none yet"
            raise KeyframeError(f"no moment is called {wanted!r}", f"The case has named: {known}.")
        name = self._held.log(log)
        with self._lock:
            project = self._held.project(name)
            if isinstance(wanted, str) and not wanted.isdecimal():
                return Moment(name, step_of(wanted, project.trace, {}))
            return Moment(name, project.logged.step if wanted is None else int(wanted))

    def project_at(self, step: MomentValue | None = None, log: str | None = None) -> Project:
        """The project at one moment, as the case holds it. Questions put to it are not recorded."""
        moment = self.moment(step, log)
        settings = replace(self.settings, accept_log_mismatch=validity.acceptance(self.entries, moment) is not None)
        with self._lock:
            project = self._held.at(moment.log, moment.step, settings)
            self._compare_compilers()
            return project

    @property
    def first(self) -> Project:
        """The project with the first log, at the moment that the manifest names."""
        return self.project_at(log=self.logs[0])

    @property
    def interface(self) -> Interface:
        return self.first.program.interface

    @cached_property
    def scene(self) -> Scene | None:
        """The scene that draws a moment; None if the project declares none, or one that is invalid."""
        try:
            return scene_of(self.first.manifest)
        except ManifestError:
            return None

    # --- the loop

    def ask(
        self,
        question: str,
        *,
        step: MomentValue | None = None,
        log: str | None = None,
        window: int | None = None,
        cancel: Cancellation | None = None,
        progress: Callable[[QuestionProgress], None] = lambda _: None,
        **limits: Unpack[Limits],
    ) -> RecordedAnswer:
        """Put a question and return its answer, which is then on the disk.

        With a `window` the program has so many rounds of loops and calls for each decision. Limits such as `seconds`
        and `memory` hold for this question alone. An ill-formed question
        raises QueryError and adds no entry. A failure to answer adds an entry and is raised. A question that is called
        off stays on the record without an answer, and CalledOff is raised.
        """
        project = self.project_at(step, log).limited(limits)
        if window is not None:
            project = replace(project, settings=replace(project.settings, window=window))
        return self._ask(question, self.moment(step, log), project, None, cancel, progress)

    def resume(
        self,
        number: int,
        *,
        seconds: float | None = MORE_SECONDS,
        cancel: Cancellation | None = None,
        progress: Callable[[QuestionProgress], None] = lambda _: None,
    ) -> RecordedAnswer:
        """Go on with a question that was left open: its entry's number, and the seconds that it may take now.

        What was settled is not settled again. The result is an entry of its own, which says what it goes on from.
        """
        entry = validity.left_open(self.entries, number)
        asked = self.entry(entry.asked or 0).payload
        moment = replace(self.moment(entry.step, entry.log), name=entry.payload["keyframe"])
        project = self.project_at(entry.step, entry.log)
        settings = replace(project.settings, seconds=seconds, window=asked["settings"]["window"])
        return self._ask(str(entry.question), moment, replace(project, settings=settings), number, cancel, progress)

    def _ask(
        self,
        question: str,
        moment: Moment,
        project: Project,
        resumes: int | None,
        cancel: Cancellation | None,
        progress: Callable[[QuestionProgress], None],
    ) -> RecordedAnswer:
        accepted = validity.acceptance(self.entries, moment) if project.settings.accept_log_mismatch else None
        written = project.written(question)
        checked, text = project.checked(written), project.normal_text(written)
        before = [one.number for one in self.unanswered if one.question == text and moment.is_of(one)]
        about: dict[str, Any] = {"question": text, "log": moment.log, "step": moment.step, "keyframe": moment.name}
        if resumes is not None:
            about["resumes"] = resumes
        asked = self._append(
            EntryKind.ASKED,
            {
                **about,
                "continues": before[-1] if before else None,
                "settings": _settings_json(project.settings),
                "soid": version(),
            },
        )
        about |= {"asked": asked.number, "accepted": accepted}
        called_off = cancel or Cancellation()
        try:
            answer = project.ask(checked, resume=resumes is not None, cancel=called_off, progress=progress)
            fact = fact_of(answer, project.keyframe)
        except SoidError as error:
            failure = {"type": type(error).__name__, "cause": error.cause, "remedy": error.remedy}
            self._append(EntryKind.FAILED, {**about, "error": failure})
            raise
        if answer.verdict is Verdict.UNKNOWN and called_off.cancelled:
            raise CalledOff(f"the question of entry {asked.number} was called off", "Ask it again to go on.")
        entry = self._append(EntryKind.ANSWERED, {**about, "answer": stored_answer.keep(answer), "fact": fact})
        return RecordedAnswer(entry, answer)

    def study(
        self,
        wanted: Request,
        *,
        step: MomentValue | None = None,
        log: str | None = None,
        cancel: Cancellation | None = None,
        progress: Callable[[QuestionProgress], None] = lambda _: None,
        **limits: Unpack[Limits],
    ) -> RecordedStudy:
        """Study a moment, and record the result; what is called off is not recorded.

        An explanation is about the moment of the answer that it explains, whatever else is said.
        """
        if isinstance(wanted, ExplanationRequest):
            explained = validity.explained(self.entries, wanted.entry)
            step, log = explained.step, explained.log
        moment, stop = self.moment(step, log), cancel or Cancellation()
        project = self.project_at(step, log).limited(limits)
        found = studies.made(wanted, project, stop, progress)
        if stop.cancelled:
            raise CalledOff("the study was called off", "Ask for it again.")
        payload = studies.kept(wanted, found, self.interface, lambda number: self.entry(number).verdict)
        accepted = validity.acceptance(self.entries, moment) if project.settings.accept_log_mismatch else None
        about = {"log": moment.log, "step": moment.step, "keyframe": moment.name, "accepted": accepted}
        entry = self._append(EntryKind.STUDIED, {**about, "settings": _settings_json(project.settings), **payload})
        return RecordedStudy(entry, found)

    def keyframe(self, step: MomentValue, name: str, *, log: str | None = None) -> Entry:
        """Give a moment a name; questions can then refer to it."""
        moment = self.moment(step, log)
        self.project_at(step, log)  # raises if the log has no such step
        called = " ".join(name.split())
        if not called or called.isdecimal():
            raise CaseError(f"{name!r} is no name for a moment", "Give it one that is more than a number.")

        def check(entries: Sequence[Entry]) -> None:
            if called in validity.keyframes(entries):
                raise CaseError(f"a moment is called {called!r} already", "Choose another name, or retract that entry.")

        return self._append(EntryKind.KEYFRAME, {"name": called, "log": moment.log, "step": moment.step}, check)

    def note(self, number: int, text: str) -> Entry:
        """Say something about an entry. Only a script concludes: the report shows its conclusions as findings."""
        if validity.is_conclusion(text):
            raise CaseError("the note reads as the conclusion of a script, and is none", "Begin it with other words.")
        if is_origin(text):
            raise CaseError("the note reads as what the case was made of, and is not", "Begin it with other words.")
        return self._note(number, text)

    def note_origin(self, bundle: str, sha256: str) -> Entry:
        """Record of which bundle the case was made: all entries before this one came with it."""
        return self._note(1, made_of(bundle, sha256))

    def conclude(self, number: int, script: str, text: str) -> Entry:
        """Record a conclusion of a script as a note on the answer that led to it."""
        return self._note(number, validity.as_note(script, text))

    def _note(self, number: int, text: str) -> Entry:
        if not text.strip():
            raise CaseError("the note is empty", "Write something.")
        payload = {"on": number, "text": text}
        return self._append(EntryKind.NOTE, payload, lambda entries: validity.entry_at(entries, number))

    def retract(self, number: int, why: str) -> Entry:
        """Add an entry that retracts another and says why: the other stays on the record and no longer counts."""
        if not why.strip():
            raise CaseError("a retraction says why", "Give the reason.")
        payload = {"entry": number, "why": why}
        return self._append(EntryKind.RETRACTED, payload, lambda entries: validity.refuse_retraction(entries, number))

    def rename(self, title: str) -> Entry:
        """Give the case another title; the earlier ones stay on the record."""
        called = " ".join(title.split())
        if not called:
            raise CaseError("a case is called something", "Give it a title.")
        if called == self.title:
            raise CaseError(f"the case is called {called!r} already", "Give it another title.")
        return self._append(EntryKind.RENAMED, {"title": called})

    def archive(self, why: str = "") -> Entry:
        """Lay the case aside: from then on nothing is added to it, until it is brought back."""
        return self._append(EntryKind.ARCHIVED, {"why": why.strip() or "no reason was given"})

    def unarchive(self, why: str = "") -> Entry:
        """Bring the case back: retract the entry that archives it."""
        number = self.archived
        if number is None:
            raise CaseError("the case is not archived", "Add to it as it is.")
        payload = {"entry": number, "why": why.strip() or "the case is brought back"}
        return self._append(EntryKind.RETRACTED, payload, lambda entries: validity.refuse_retraction(entries, number))

    def attest_log(self, stated: LogStatement) -> Entry:
        """Record what was noted about a log at the scene; CaseError if the log that the case holds is another one."""
        name = self._held.log(stated.log)
        return self._append(EntryKind.ATTESTED, stated.payload(name, self._content(name)))

    def compare_log(
        self,
        log: str | None = None,
        *,
        seconds: float | None = EXPLORING,
        most: int = LISTED,
        note: Callable[[ComparedStep], None] = lambda _: None,
        cancel: Cancellation | None = None,
        progress: Callable[[QuestionProgress], None] = lambda _: None,
    ) -> ComparedLog:
        """Compare a whole log with the program, and record the result. What is called off is not recorded."""
        name = self._held.log(log)
        project = self.project_at(log=name)
        stop = cancel or Cancellation()
        found = project.compare_log(seconds=seconds, most=most, note=note, cancel=stop, progress=progress)
        if stop.cancelled:
            raise CalledOff(f"comparing {name} was called off after {found.compared} steps", "Compare it again.")
        found = found.within(self._held.folder)
        kept = found.shortened()
        hashes = {file.path: file.sha256 for file in self.snapshot.files}
        payload = {"log": name, "sha256": hashes[name], "verdict": found.verdict.value, "result": json_of(kept)}
        return ComparedLog(self._append(EntryKind.COMPARED, payload), found)

    #: `ask` for an event loop: cancelling its task stops the work, and the question stays on record without an answer
    ask_async = in_background(ask)
    #: `resume` for an event loop
    resume_async = in_background(resume)
    #: `study` for an event loop
    study_async = in_background(study)
    #: `compare_log` for an event loop
    compare_log_async = in_background(compare_log)

    def anchor(self) -> CaseAnchor:
        """The head of the chain as a text for a notary, and the request for a time stamp on it; nothing is recorded."""
        last = self.verify_chain()
        return anchor(self.entries[: last.number])

    def add_time_stamp(self, response: bytes, certificates: Sequence[bytes], request: bytes | None = None) -> Entry:
        """Record the response of a time-stamping authority to an anchor of this case, after it was checked.

        `certificates` (in DER) are those that the authority's must lead to. With the `request`, its number is compared.
        """
        self.verify_chain()
        nonce = None if request is None else nonce_in(request)
        return self._append(EntryKind.ANCHORED, stamped(self.entries, response, nonce, certificates))

    def accept_log_mismatch(self, why: str, *, step: MomentValue | None = None, log: str | None = None) -> Entry:
        """Accept that log and program differ at a moment; every answer there says so, and rests on this entry."""
        if not why.strip():
            raise CaseError("an acceptance says why", "Give the reason.")
        moment = self.moment(step, log)
        mismatch = self._mismatch(moment)
        if not mismatch:
            raise CaseError(f"log and program agree at step {moment.step}", "There is nothing to accept.")

        def check(entries: Sequence[Entry]) -> None:
            if validity.acceptance(entries, moment) is not None:
                raise CaseError(f"the mismatch at step {moment.step} has been accepted already", "Ask on.")

        payload = {"log": moment.log, "step": moment.step, "mismatch": mismatch, "why": why}
        return self._append(EntryKind.ACCEPTED, payload, check)

    def _mismatch(self, moment: Moment) -> str:
        """How log and program differ there: from an answer on the record, else from a question put now."""
        answers = [one.answer for one in self.entries if one.answer is not None and moment.is_of(one)]
        known = [why for why in map(stored_answer.reason_of, answers) if why.awaits_acceptance]
        if known:
            return str(known[-1])
        project = self.project_at(moment.step, moment.log)
        found = replace(project, settings=replace(project.settings, accept_log_mismatch=False)).ask("did decides")
        return str(found.why) if found.why.awaits_acceptance else ""

    def _append(
        self, kind: EntryKind, payload: Mapping[str, Any], check: Callable[[Sequence[Entry]], object] = lambda _: None
    ) -> Entry:
        def check_all(entries: Sequence[Entry]) -> None:
            if (kind, payload.get("entry")) != (EntryKind.RETRACTED, validity.archived(entries)):
                validity.refuse_if_archived(entries)
            check(entries)

        signer, when = None if self.record.read_only else self._signer, _written(self._clock())
        return self.record.append(kind, payload, who=self.who, when=when, check=check_all, signer=signer)

    @property
    def _signer(self) -> SigningKey | None:
        """The key that entries are signed with; a warning says so if there is none."""
        if self._key is None:
            self._key = author_key()
            self.warnings += (self._key.warning,) if self._key.warning else ()
        return self._key.key

    def _content(self, path: str) -> bytes:
        """A file that the case holds, by its name."""
        return self.record.content({file.path: file.sha256 for file in self.snapshot.files}[path])

    # --- warnings

    def _look_around(self) -> None:
        """Warn if the original project has changed, and of questions without an answer."""
        where = f"the project in {self.snapshot.origin} is not as the case has it, which the case goes by"
        self._notice("project", self.snapshot.changes(), where)
        for entry in self.unanswered:
            self.warnings += (f"entry {entry.number} was asked and has no answer; ask it again to go on",)

    def _compare_compilers(self) -> None:
        """Warn if this machine's compiler makes another module than the one with which the case was created."""
        if not self._compiler_compared:
            self._compiler_compared = True
            made = self._held.fingerprint()
            found = () if made == self.entries[0].payload["compiled"] else (f"it makes {made}",)
            self._notice("compiler", found, "the compiler here makes something else of the same sources")

    def _notice(self, about: str, found: tuple[str, ...], words: str) -> None:
        """Record what was found if it differs from the last time, also if nothing is found any more."""
        if found:
            self.warnings += (f"{words}: {'; '.join(found)}",)
        noticed = [
            one.payload for one in self.entries if one.kind is EntryKind.NOTICED and one.payload["about"] == about
        ]
        known = noticed[-1]["found"] if noticed else []
        if list(found) != known and not self.record.read_only and self.archived is None:
            self._append(EntryKind.NOTICED, {"about": about, "found": list(found)})


def _opened_anew(file: Path, who: str, settings: Settings, read_only: bool) -> Case:
    return Case.open(file, who=who, settings=settings, read_only=read_only)


def default_user() -> str:
    """The default name for entries: SOID_USER, else the system's name for the user."""
    try:
        return os.environ.get("SOID_USER", "").strip() or getpass.getuser()
    except (OSError, KeyError, ImportError):  # a process without a user
        return "unknown"


def _plain(name: str) -> str:
    """A name on one line, as valid UTF-8."""
    return " ".join(name.split()).encode("utf-8", "backslashreplace").decode("utf-8") or "unknown"


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _settings_json(settings: Settings) -> dict[str, Any]:
    """Plain values as they are, the rest as text."""
    plain = bool | int | float | str | None
    return {name: value if isinstance(value, plain) else str(value) for name, value in asdict(settings).items()}
