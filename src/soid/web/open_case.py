"""A case on the desk, as one person has it open: what is known, and what may be done about it.

Several people have one case open together (`shared_case.py`), each through an `OpenCase` of their own. Reading, and
adding a note, happen here and now; what needs a solver or a compiler becomes a Job.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol, TypeVar, final

from msgspec import Struct

from soid.case import moments, validity
from soid.case.case import Case
from soid.case.moments import Moment
from soid.case.project import Project
from soid.case.record.entry import Entry, EntryKind
from soid.errors import CaseError, QueryError
from soid.explanation.explainer import OTHERS
from soid.mapping.claims import by_text
from soid.oracle.answer import Answer, Verdict
from soid.program.interface import Interface
from soid.program.manifest import Manifest
from soid.program.program import Program
from soid.query.language.query_parser import parse, parse_suppositions
from soid.query.language.query_printer import to_text
from soid.query.query import Query
from soid.query.words import sentence
from soid.scenario.trace import Trace
from soid.scene.picture import Picture, of_answer, of_keyframe
from soid.scene.scene import Scene
from soid.web.shared_case import SharedCase
from soid.web.work import tasks
from soid.web.work.job import Job

T = TypeVar("T")

#: characters of a question, a note or a reason; more is no question that anyone reads
LONGEST: Final = 20_000


class Doer(Protocol):
    """Has work done; see `Desk.do`."""

    def __call__(self, job: Job, task: tasks.DeskTask, *, writes: str | None = None) -> Job: ...


@final
class Preview(Struct, frozen=True):
    """A question before it is asked."""

    query: Query
    text: str  # as query text, in its normal form
    sentence: str  # as a person would ask it


@final
class OpenCase:
    """One case, for one person. Every method may be called from any thread."""

    def __init__(self, shared: SharedCase, who: str, do: Doer) -> None:
        self._shared = shared
        self._do = do
        self.who = who

    # --- what is known

    @property
    def id(self) -> str:
        return self._shared.id

    @property
    def title(self) -> str:
        return str(self._shared.opened.payload["title"])

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Everything on the record, what other processes have added included."""
        return self._shared.entries

    def version(self) -> int:
        """A number that grows whenever anybody, in this process or another, adds to the case."""
        return len(self.entries)

    @property
    def facts(self) -> tuple[Entry, ...]:
        """The FACTS: the definite answers that count."""
        return validity.facts(self.entries)

    @property
    def unanswered(self) -> tuple[Entry, ...]:
        """Questions that were asked, and whose answer never came."""
        return validity.unanswered(self.entries)

    @property
    def retracted(self) -> frozenset[int]:
        """The numbers of the entries that no longer count."""
        return validity.struck(self.entries)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What its reader should know, as far as it has come to light."""
        return self._read(lambda case: case.warnings)

    @property
    def keyframes(self) -> dict[str, Moment]:
        """The moments that have a name."""
        return moments.keyframes(self.entries)

    @property
    def logs(self) -> tuple[str, ...]:
        """By the names under which the case holds them."""
        return self._read(lambda case: case.snapshot.logs)

    def notes_on(self, number: int) -> tuple[Entry, ...]:
        """What people had to say about an entry."""
        notes = validity.in_force(self.entries, EntryKind.NOTE)
        return tuple(note for note in notes if note.payload["on"] == number)

    def entry(self, number: int) -> Entry:
        return validity.entry_at(self.entries, number)

    def answer(self, number: int) -> Answer:
        """The answer of an entry, as it was given."""
        return self._shared.answer(number)

    # --- the program and its logs

    def moment(self, step: int | str | None = None, log: str | None = None) -> Moment:
        """The step of a number or of a keyframe's name; without one, the moment that the manifest names."""
        return self._read(lambda case: case.moment(step, log))

    def at(self, step: int | str | None = None, log: str | None = None) -> Project:
        """The program at one moment, to look at: `keyframe`, `trace`, `program`. Asking is for `ask` alone."""
        return self._read(lambda case: case.case_at(step, log))

    @property
    def program(self) -> Program:
        return self._shared.first.program

    @property
    def interface(self) -> Interface:
        return self.program.interface

    @property
    def manifest(self) -> Manifest:
        manifest = self._shared.first.manifest
        assert manifest is not None
        return manifest

    def trace(self, log: str | None = None) -> Trace:
        return self.at(log=log).trace

    @property
    def scene(self) -> Scene | None:
        """What is drawn of a moment; None where the project does not say, or what it says cannot be drawn."""
        return self._shared.scene

    def picture(self, step: int | str | None = None, log: str | None = None) -> Picture | None:
        """A moment as a picture."""
        scene = self.scene
        return None if scene is None else of_keyframe(scene, self.at(step, log).keyframe)

    def answer_picture(self, number: int) -> Picture | None:
        """The scenario that an answer shows, beside the fact."""
        scene, entry, answer = self.scene, self.entry(number), self.answer(number)
        if scene is None or answer.witness is None:
            return None
        return of_answer(scene, self.at(entry.step, entry.log).keyframe, answer)

    # --- the loop

    def preview(self, question: str, *, step: int | str | None = None, log: str | None = None) -> Preview:
        """A question as it would be understood; an ill-formed one is a QueryError."""
        _refuse_long(question, "question")
        case = self.at(step, log)
        query = case.query(parse(question, case.program.interface))
        query.check(case.program.interface)
        return Preview(query, to_text(query), sentence(query, case.program.interface))

    def ask(self, question: str, *, step: int | str | None = None, log: str | None = None) -> Job:
        """Put a question; its answer is on the record when the job is done. An ill-formed one is a QueryError now."""
        text = self.preview(question, step=step, log=log).text
        moment = self.moment(step, log)
        task = tasks.AskTask(*self._about, question, moment.name or moment.step, moment.log)
        return self._job(task, question=text)

    def explain(self, number: int, *, others: int = OTHERS) -> Job:
        """Explain the answer of an entry: its result is as `soid explain --json` has it."""
        entry = self.entry(number)
        if entry.kind is not EntryKind.ANSWERED:
            raise CaseError(f"entry {number} is no answer", "Choose one of the answers.")
        return self._job(tasks.ExplainTask(*self._about, number, others), question=entry.question or "")

    def map(self, over: str, *, by: str | None = None, step: int | str | None = None, log: str | None = None) -> Job:
        """What happens where, along the one or two variables that `over` frees: see `Project.map`.

        The job's result is the map as `soid map --json` has it, with its picture as `svg`.
        """
        for text in (over, by or ""):
            _refuse_long(text, "question")
        interface, moment = self.at(step, log).program.interface, self.moment(step, log)
        parse_suppositions(over, interface)
        by_text(by, interface)
        return self._job(tasks.MapTask(*self._about, over, by, moment.step, moment.log), question=over)

    def abstraction(self) -> Job:
        """What the answered questions have shown of the program together.

        The job's result is as `soid abstraction --json` has it, with its picture as `svg`.
        """
        answers = validity.in_force(self.entries, EntryKind.ANSWERED)
        if all(each.verdict in (None, Verdict.ERROR) for each in answers):
            raise CaseError("no question has been answered yet", "Ask one: what it has shown is drawn here.")
        return self._job(tasks.AbstractionTask(*self._about))

    def accept_log_mismatch(self, why: str, *, step: int | str | None = None, log: str | None = None) -> Job:
        """Go on at a moment where log and program differ; first it is made sure that they do."""
        _refuse_long(why, "reason")
        moment = self.moment(step, log)
        return self._job(tasks.AcceptTask(*self._about, why, moment.step, moment.log))

    def report(self) -> Job:
        """The case as a page for people who do not read code: the job's file."""
        return self._job(tasks.ReportTask(*self._about), writes=f"{self.id}.html")

    def bundle(self) -> Job:
        """The case as evidence that others check: the job's file."""
        return self._job(tasks.BundleTask(*self._about), writes=f"{self.id}.zip")

    def keyframe(self, step: int, name: str, *, log: str | None = None) -> Entry:
        """Give a moment a name."""
        _refuse_long(name, "name")
        with self._shared.writing(self.who) as case:
            return case.keyframe(step, name, log=log)

    def note(self, number: int, text: str) -> Entry:
        """Say something about an entry."""
        _refuse_long(text, "note")
        with self._shared.writing(self.who) as case:
            return case.note(number, text)

    def retract(self, number: int, why: str) -> Entry:
        """Take an entry back by a new one that says why."""
        _refuse_long(why, "reason")
        with self._shared.writing(self.who) as case:
            return case.retract(number, why)

    def _read(self, look: Callable[[Case], T]) -> T:
        with self._shared.reading() as case:
            return look(case)

    @property
    def _about(self) -> tuple[Path, str]:
        """What every task about the case begins with."""
        return self._shared.file, self.who

    def _job(self, task: tasks.DeskTask, *, question: str = "", writes: str | None = None) -> Job:
        return self._do(Job(tasks.kind_of(task), case=self.id, question=question, who=self.who), task, writes=writes)


def _refuse_long(text: str, what: str) -> None:
    if len(text) > LONGEST:
        raise QueryError(f"the {what} has {len(text)} characters", f"Say it in {LONGEST} or fewer.")
