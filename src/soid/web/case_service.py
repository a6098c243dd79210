"""The case service: the operations of one user on an open case, each with the role that it needs.

`CaseService.case` is for reading; all people and threads share it. A note is added at once; work that needs a solver or
a compiler becomes a Job.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.case import validity
from soid.case.asked_line import line_sentence, line_text, read_line, study_wanted
from soid.case.case import Case
from soid.case.case_script import HeldScript, held_script, held_scripts
from soid.case.custody.log_attestation import LogStatement
from soid.case.program_comparison import check_programs
from soid.case.question_candidates import decisions_worth_asking
from soid.case.record.entry import Entry, EntryKind
from soid.case.record.study_request import CausesRequest, ExplanationRequest, MapRequest, Request
from soid.case.stored_answer import moment_of
from soid.case.suggested_questions import SuggestedQuestion, suggested_questions
from soid.case.told_story import ToldStory, told_story
from soid.errors import CaseError, NotOnDesk, QueryError
from soid.explanation.explainer import OTHERS
from soid.mapping.claims import by_text
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import MORE_SECONDS
from soid.query.language.query_parser import parse, parse_suppositions
from soid.query.language.query_printer import to_text
from soid.query.language.script.plan import PutStudy
from soid.query.language.script.script_parser import parse_script
from soid.query.program_names import of_program
from soid.query.query import Query
from soid.query.words import sentence
from soid.scenario.trace import Keyframe
from soid.web.user import User, UserRole, needs
from soid.web.work import tasks
from soid.web.work.job import Job

#: characters of a question, a note or a reason
LONGEST: Final = 20_000
LONGEST_TITLE: Final = 200


#: answers of a case whose abstraction has the program's inside by itself
_FEW_QUESTIONS: Final = 12

#: gives a task to a worker, with the name of the file that it writes; see `Desk.do`
Doer = Callable[[Job, tasks.DeskTask, str | None], Job]


@final
class Preview(Struct, frozen=True):
    """A question before it is asked."""

    text: str  # as query text, in its normal form
    sentence: str  # in plain English


@final
class CaseService:
    """One case, for one user. Every method may be called from any thread."""

    def __init__(self, case_id: str, case: Case, user: User, do: Doer) -> None:
        self.id = case_id
        self.case = case
        self.user = user
        self._do = do

    @needs(UserRole.READ)
    def preview(self, question: str, *, step: int | str | None = None, log: str | None = None) -> Preview:
        """A question as soid understands it; an ill-formed one is a QueryError."""
        _refuse_long(question, "question")
        project = self.case.project_at(step, log)
        if (line := read_line(question, project)) is not None:
            return Preview(line_text(line), line_sentence(line, project))
        query = project.checked(question).query
        return Preview(to_text(query), sentence(query, self.case.interface, log=project.trace))

    @needs(UserRole.READ)
    def story(self, *, step: int | str | None = None, log: str | None = None) -> ToldStory:
        """What happened at a moment, and the harm."""
        return told_story(self.case, step=step, log=log, at=self._with_decisions(step, log))

    @needs(UserRole.READ)
    def suggestions(self, *, step: int | str | None = None, log: str | None = None) -> tuple[SuggestedQuestion, ...]:
        """What to ask at a moment, the most useful first."""
        return suggested_questions(self.case, step=step, log=log, at=self._with_decisions(step, log))

    @needs(UserRole.ASK)
    def ask(
        self,
        question: Query | str,
        *,
        step: int | str | None = None,
        log: str | None = None,
        window: int | None = None,
    ) -> Job:
        """Put a question; the job records its answer. A text that is ill-formed is a QueryError at once.

        A text may also ask whether something was why (`move because signal == RIGHT`), for causes (`causes of move over
        signal is anything`) or for a map, as a line of a script does. With a `window` the program has so many rounds of
        loops and calls for each decision. A Query is one that was read and checked for this moment already.
        """
        if isinstance(question, str) and (job := self._line(question, step, log, window)) is not None:
            return job
        if isinstance(question, Query):
            put = text = to_text(question)
            _refuse_long(text, "question")
        else:
            put, text = question, self.preview(question, step=step, log=log).text
        moment = self.case.moment(step, log)
        task = tasks.AskTask(*self._about, put, moment.name or moment.step, moment.log, window)
        return self._job(task, question=text)

    def _line(self, text: str, step: int | str | None, log: str | None, window: int | None) -> Job | None:
        """The job of what only a line of a script asks; None if the text is a question."""
        _refuse_long(text, "question")
        line = read_line(text, project := self.case.project_at(step, log))
        if line is None:
            return None
        if window is not None:
            raise QueryError("a window is for one question", "Leave it out, or put the questions one by one.")
        if isinstance(line, PutStudy):
            return self.study(study_wanted(line, project), step=step, log=log)
        moment = self.case.moment(step, log)
        task = tasks.WhyTask(*self._about, line_text(line), moment.name or moment.step, moment.log)
        return self._job(task, question=line_text(line))

    @needs(UserRole.ASK)
    def resume(self, number: int, *, seconds: float | None = MORE_SECONDS) -> Job:
        """Go on with a question that an entry left open, for so many seconds more; the job records the answer."""
        entry = validity.left_open(self.case.entries, number)
        return self._job(tasks.ResumeTask(*self._about, number, seconds), question=entry.question or "")

    @needs(UserRole.ASK)
    def explain(self, number: int, *, others: int = OTHERS) -> Job:
        """Explain the answer of an entry; the job's result is that of `soid explain --json`."""
        entry = self.case.entry(number)
        if entry.kind is not EntryKind.ANSWERED:
            raise CaseError(f"entry {number} is no answer", "Choose one of the answers.")
        return self._job(tasks.ExplainTask(*self._about, number, others), question=entry.question or "")

    @needs(UserRole.READ)
    def moment(self, step: int, log: str) -> Job:
        """Derive what a log does not have at one of its steps."""
        return self._job(tasks.MomentTask(*self._about, step, log))

    @needs(UserRole.READ)
    def derived(self, step: int | str | None = None, log: str | None = None) -> Keyframe:
        """A moment with what follows for it, by a worker; CaseError if that did not come about."""
        moment, logged = self.case.moment(step, log), self.case.project_at(step, log).logged
        if not logged.assumed and not logged.open_outputs:
            return logged
        job = self.moment(moment.step, moment.log)
        job.wait()
        if job.result is None:
            cause = job.error.cause if job.error is not None else "it was called off"
            raise CaseError(f"what is not logged at step {moment.step} was not derived: {cause}", "Ask for it again.")
        return moment_of(job.result, logged)

    @needs(UserRole.ASK)
    def map(
        self,
        over: str,
        *,
        by: str | None = None,
        step: int | str | None = None,
        log: str | None = None,
        own: bool = False,
    ) -> Job:
        """The regions of behavior along the one or two variables that `over` frees: see `Project.map`.

        The job's result is that of `soid map --json`, with the picture as `svg`. With `own`, labels call the decisions
        of the program that `by` names as it calls them itself: for a place where it is plain which program it is.
        """
        for text in (over, by or ""):
            _refuse_long(text, "question")
        interface, moment = self.case.interface, self.case.moment(step, log)
        parse_suppositions(over, interface)
        by_text(by, interface)
        return self._job(tasks.MapTask(*self._about, over, by, moment.step, moment.log, own), question=over)

    @needs(UserRole.ASK)
    def sweep(self, question: str, *, log: str | None = None) -> Job:
        """Put a question at every step of a log. Nothing is recorded: `soid.web.page.sweep_panel` shows the result."""
        text, moment = self.preview(question, log=log).text, self.case.moment(log=log)
        return self._job(tasks.SweepTask(*self._about, text, moment.log), question=text)

    @needs(UserRole.READ)
    def film(self, number: int) -> Job:
        """What happens step by step in an answer's scenario, and in fact: the job's result has a drawing of each."""
        return self._job(tasks.FilmTask(*self._about, self.case.entry(number).number))

    @needs(UserRole.READ)
    def ways(self, number: int) -> Job:
        """The ways of the fact and of an answer's scenario through the program: the job's result has them as data."""
        return self._job(tasks.WaysTask(*self._about, self.case.entry(number).number))

    @needs(UserRole.ASK)
    def study(self, wanted: Request, *, step: int | str | None = None, log: str | None = None) -> Job:
        """Study a moment: causes, a map, or the explanation of an answer; the job records the result."""
        moment, interface = self.case.moment(step, log), self.case.interface
        match wanted:
            case MapRequest(over, by):
                parse_suppositions(over, interface)
                by_text(by, interface)
            case CausesRequest(question):
                self.preview(question, step=step, log=log)
            case ExplanationRequest(entry, question):
                if validity.explained(self.case.entries, entry).question != question:
                    raise CaseError(f"entry {entry} answers another question", "Name the entry of that answer.")
        return self._job(tasks.StudyTask(*self._about, wanted, moment.name or moment.step, moment.log))

    @needs(UserRole.ASK)
    def compare_programs(
        self,
        questions: Sequence[str],
        programs: Sequence[str] = (),
        *,
        step: int | str | None = None,
        log: str | None = None,
    ) -> Job:
        """Put the same questions to several programs, or to some of them; the job records the answers."""
        project, moment = self.case.project_at(step, log), self.case.moment(step, log)
        check_programs(project, programs)
        if not questions:
            raise QueryError("there is no question", "Put at least one.")
        for each in questions:
            _refuse_long(each, "question")
            query = parse(each)
            for name in programs or project.program.source.programs:
                of_program(query, name, self.case.interface).checked(self.case.interface)
        about = *self._about, list(questions), list(programs)
        return self._job(tasks.ProgramsTask(*about, moment.name or moment.step, moment.log), question=questions[0])

    @needs(UserRole.ASK)
    def differ(
        self,
        one: str,
        other: str,
        over: str,
        *,
        by: str | None = None,
        step: int | str | None = None,
        log: str | None = None,
    ) -> Job:
        """Whether two programs decide alike, in fact and over a family; the job records the two answers that say so."""
        for text in (over, by or ""):
            _refuse_long(text, "question")
        moment = self.case.moment(step, log)
        check_programs(self.case.project_at(step, log), (one, other))
        parse_suppositions(over, self.case.interface)
        task = tasks.DifferTask(*self._about, one, other, over, by, moment.name or moment.step, moment.log)
        return self._job(task, question=over)

    @needs(UserRole.READ)
    def scripts(self) -> tuple[HeldScript, ...]:
        """The scripts that the case holds."""
        return held_scripts(self.case)

    @needs(UserRole.ASK)
    def run_script(self, name: str, text: str | None = None) -> Job:
        """Run a script that the case holds, or a text under this name; the job's events tell it line by line.

        A text that is ill-formed is a QueryError at once.
        """
        held = held_script(self.case, name) if text is None else _named_script(name, text)
        _refuse_long(held.text, "script")
        parse_script(held.text, held.file)
        return self._job(tasks.ScriptTask(*self._about, held.file, held.text), question=held.file)

    @needs(UserRole.READ)
    def abstraction(self, *, inside: bool | None = None) -> Job:
        """The abstraction of the program from all answered questions.

        With `inside` also the states inside the program; None: if the questions are few. The job's result is that of
        `soid abstraction --json`, with the picture as `svg`, and what it shows as `words`.
        """
        answers = validity.in_force(self.case.entries, EntryKind.ANSWERED)
        if all(each.verdict in (None, Verdict.ERROR) for each in answers):
            raise CaseError("no question has been answered yet", "Ask one: what it has shown is drawn then.")
        looked = len(answers) <= _FEW_QUESTIONS if inside is None else inside
        return self._job(tasks.AbstractionTask(*self._about, inside=looked))

    @needs(UserRole.ASK)
    def compare(self, *, log: str | None = None) -> Job:
        """Compare a whole log with the program; the job records the result."""
        return self._job(tasks.CompareTask(*self._about, self.case.moment(log=log).log))

    @needs(UserRole.ASK)
    def accept_log_mismatch(self, why: str, *, step: int | str | None = None, log: str | None = None) -> Job:
        """Accept that log and program differ at a moment; the job checks first that they do."""
        _refuse_long(why, "reason")
        moment = self.case.moment(step, log)
        return self._job(tasks.AcceptTask(*self._about, why, moment.step, moment.log))

    @needs(UserRole.READ)
    def report(self, *, pdf: bool = False) -> Job:
        """The case for people who do not read code, as a page or printed: the job's file.

        Printing needs a Chromium on this machine; without one the job fails, and says so.
        """
        return self._job(tasks.ReportTask(*self._about, pdf=pdf), writes=f"{self.id}.{'pdf' if pdf else 'html'}")

    @needs(UserRole.READ)
    def bundle(self) -> Job:
        """The case as evidence that others check: the job's file."""
        return self._job(tasks.BundleTask(*self._about), writes=f"{self.id}.zip")

    @needs(UserRole.ASK)
    def keyframe(self, step: int | str, name: str, *, log: str | None = None) -> Entry:
        _refuse_long(name, "name")
        with self.case.speaking_as(self.user.author):
            return self.case.keyframe(step, name, log=log)

    @needs(UserRole.COMMENT)
    def note(self, number: int, text: str) -> Entry:
        _refuse_long(text, "note")
        with self.case.speaking_as(self.user.author):
            return self.case.note(number, text)

    @needs(UserRole.COMMENT)
    def withdraw_note(self, number: int, why: str) -> Entry:
        """Take back a note of one's own; those of others need the role that asks."""
        entry = self.case.entry(number)
        if entry.kind is not EntryKind.NOTE or entry.who != self.user.author:
            self.user.require(UserRole.ASK)
        if entry.kind is not EntryKind.NOTE:
            raise CaseError(f"entry {number} is no note", "Choose one of the notes.")
        _refuse_long(why, "reason")
        with self.case.speaking_as(self.user.author):
            return self.case.retract(number, why)

    @needs(UserRole.ASK)
    def attest_log(self, stated: LogStatement) -> Entry:
        """Record where a log comes from; CaseError if the case's log is another one."""
        with self.case.speaking_as(self.user.author):
            return self.case.attest_log(stated)

    @needs(UserRole.ASK)
    def retract(self, number: int, why: str) -> Entry:
        """Add an entry that retracts another and says why."""
        _refuse_long(why, "reason")
        with self.case.speaking_as(self.user.author):
            return self.case.retract(number, why)

    @needs(UserRole.ASK)
    def rename(self, title: str) -> Entry:
        """Give the case another title."""
        if len(title) > LONGEST_TITLE:
            raise QueryError(f"the title has {len(title)} characters", f"Say it in {LONGEST_TITLE} or fewer.")
        with self.case.speaking_as(self.user.author):
            return self.case.rename(title)

    @needs(UserRole.ASK)
    def archive(self, why: str = "") -> Entry:
        """Lay the case aside: nothing is added to it until it is brought back."""
        _refuse_long(why, "reason")
        with self.case.speaking_as(self.user.author):
            return self.case.archive(why)

    @needs(UserRole.ASK)
    def unarchive(self, why: str = "") -> Entry:
        """Bring the case back."""
        _refuse_long(why, "reason")
        with self.case.speaking_as(self.user.author):
            return self.case.unarchive(why)

    @needs(UserRole.READ)
    def cancel(self, job: Job) -> None:
        cancel(job, self.user)

    def _with_decisions(self, step: int | str | None, log: str | None) -> Keyframe:
        """A moment with its decisions, if they are logged or follow."""
        logged = self.case.project_at(step, log).logged
        if all(each.path in logged.decisions for each in decisions_worth_asking(logged.interface)):
            return logged
        try:
            return self.derived(step, log)
        except CaseError:
            return logged

    @property
    def _about(self) -> tuple[Path, str]:
        """The first two fields of every task about the case; NotOnDesk if its file is gone, or another's now."""
        if not self.case.record.is_current:
            raise NotOnDesk(
                f"the case {self.id} is no longer there", "It was deleted or replaced: look at the list of cases."
            )
        return self.case.record.file, self.user.author

    def _job(self, task: tasks.DeskTask, *, question: str = "", writes: str | None = None) -> Job:
        return self._do(Job(tasks.kind_of(task), case=self.id, question=question, who=self.user.author), task, writes)


def cancel(job: Job, user: User) -> None:
    """Cancel a job: everybody their own, and with the role that asks that of others."""
    if job.who != user.author:
        user.require(UserRole.ASK)
    job.cancel()


def _named_script(name: str, text: str) -> HeldScript:
    """A script that was sent; its name stands before its conclusion on the record."""
    if re.fullmatch(r"[\w][\w .-]*", name) is None:
        raise QueryError(f"{name!r} is no name for a script", "Take letters, digits, blanks, dots and dashes.")
    return HeldScript(name, name, name, text)


def _refuse_long(text: str, what: str) -> None:
    if len(text) > LONGEST:
        raise QueryError(f"the {what} has {len(text)} characters", f"Say it in {LONGEST} or fewer.")
