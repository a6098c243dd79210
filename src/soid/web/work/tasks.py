"""The tasks of a worker: each is a record that is sent to the worker, with the method that runs there.

The desk sends a `WorkOrder`. The worker replies with its progress, and then with the `TaskOutcome`.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.budget import Cancellation
from soid.case.case import Case, RecordedAnswer
from soid.case.record.study_request import Request
from soid.case.stored_answer import document_of
from soid.case.validity import entry_at
from soid.documents import json_of
from soid.errors import CalledOff, CaseError, EnvironmentalError
from soid.examples.simulation import Setup
from soid.oracle.answer import Answer
from soid.oracle.inquiry import QuestionProgress, Settings
from soid.query.language.query_printer import to_text
from soid.query.query import Query
from soid.web.upload_manifest import UploadManifest
from soid.web.work.job import JobProgress, JobState, Trouble

#: the number of cases that a worker keeps open, with their programs loaded
_KEPT: Final = 4

Report = Callable[[QuestionProgress], None]
Json = dict[str, Any]  # the result of a task


@final
class Hands(Struct):
    """The worker's resources for its tasks: the open cases, and a function that reports progress."""

    settings: Settings
    report: Report
    cancel: Cancellation = field(default_factory=Cancellation)  # of the present task
    happen: Callable[[Json], None] = lambda _: None  # tells of something on the way to the result
    _open: OrderedDict[Path, Case] = field(default_factory=OrderedDict)

    def case(self, file: Path, who: str) -> Case:
        """The open case of a file; entries are recorded under the name `who`."""
        if file in self._open and not self._open[file].record.is_current:
            self._open.pop(file).close()
        if file not in self._open:
            self._open[file] = Case.open(file, settings=self.settings)
        self._open.move_to_end(file)
        while len(self._open) > _KEPT:
            self._open.popitem(last=False)[1].close()
        self._open[file].speak_as(who)
        return self._open[file]

    def refuse_if_called_off(self, what: str) -> None:
        if self.cancel.cancelled:
            raise CalledOff(f"the {what} was called off", "Ask for it again.")


class CaseTask(Struct, frozen=True):
    """A task about a case."""

    file: Path  # the case's
    who: str  # the name under which entries are recorded

    def case(self, hands: Hands) -> Case:
        return hands.case(self.file, self.who)


@final
class AskTask(CaseTask, frozen=True, tag="ask"):
    """Put a question, and record it with its answer."""

    question: str
    step: int | str
    log: str
    window: int | None = None  # that the program has for a decision; None: as in its manifest

    def do(self, hands: Hands) -> Json:
        case = self.case(hands)
        found = case.ask(
            self.question,
            step=self.step,
            log=self.log,
            window=self.window,
            cancel=hands.cancel,
            progress=hands.report,
        )
        return _found(found)


@final
class ResumeTask(CaseTask, frozen=True, tag="resume"):
    """Go on with a question that was left open, and record the answer as an entry of its own."""

    entry: int  # the unknown
    seconds: float | None  # that it may take now

    def do(self, hands: Hands) -> Json:
        case, stop = self.case(hands), hands.cancel
        return _found(case.resume(self.entry, seconds=self.seconds, cancel=stop, progress=hands.report))


def _found(found: RecordedAnswer) -> Json:
    return {"entry": found.entry.number, "fact": found.entry.fact, "answer": document_of(found.entry.payload["answer"])}


@final
class ExplainTask(CaseTask, frozen=True, tag="explain"):
    """Explain an answer of the record: what mattered to it, or what its proof needed. Nothing is recorded."""

    entry: int
    others: int

    def do(self, hands: Hands) -> Json:
        case = self.case(hands)
        entry = entry_at(case.entries, self.entry)
        if entry.question is None:
            raise CaseError(f"entry {entry.number} is about no question", "Choose an answer.")
        at = case.project_at(entry.step, entry.log)
        found = at.explain(entry.question, others=self.others, cancel=hands.cancel, progress=hands.report)
        hands.refuse_if_called_off("explanation")
        return {"entry": entry.number, **json_of(found.document)}


@final
class MomentTask(CaseTask, frozen=True, tag="moment"):
    """Derive what the log does not have at a moment. Nothing is recorded."""

    step: int
    log: str

    def do(self, hands: Hands) -> Json:
        from soid.case.stored_answer import moment_bits

        hands.report(QuestionProgress("state"))
        with hands.settings.opening(hands.cancel):
            found = self.case(hands).project_at(self.step, self.log).keyframe
            return {"step": self.step, "log": self.log, "bits": moment_bits(found)}


@final
class MapTask(CaseTask, frozen=True, tag="map"):
    """Map the regions of behavior along one or two variables, with a picture. Nothing is recorded."""

    over: str
    by: str | None
    step: int
    log: str
    own: bool = False  # labels call the decisions of the program that `by` names as it calls them itself

    def do(self, hands: Hands) -> Json:
        from soid.mapping.claims import Outputs, by_text
        from soid.mapping.map_svg import svg  # loaded on demand: most tasks need no picture

        at = self.case(hands).project_at(self.step, self.log)
        made = at.map(self.over, by=self.by, cancel=hands.cancel, progress=hands.report)
        hands.refuse_if_called_off("map")
        interface = at.program.interface
        by = by_text(self.by, interface) if self.own else None
        if isinstance(by, Outputs):
            made = made.relabelled(partial(by.own_label, interface=interface))
        return {**json_of(made.document), "svg": svg(made)}


@final
class SweepTask(CaseTask, frozen=True, tag="sweep"):
    """Put a question at every step of a log. Nothing is recorded."""

    question: str
    log: str

    def do(self, hands: Hands) -> Json:
        from soid.sweep.verdict_timeline import stretches  # loaded on demand, as sweeps are

        at = self.case(hands).project_at(log=self.log)
        # what is accepted on the record is accepted of one moment
        plain = replace(at, settings=replace(at.settings, accept_log_mismatch=False))
        made = plain.sweep(self.question, workers=1, cancel=hands.cancel, progress=hands.report)
        hands.refuse_if_called_off("sweep")
        (lane,) = made.lanes
        outstanding = [json_of(each) for each in made.outstanding]
        drawn = [json_of(each) for each in stretches(lane)]
        return {"question": lane.question, "told": made.summary(), "stretches": drawn, "outstanding": outstanding}


@final
class FilmTask(CaseTask, frozen=True, tag="film"):
    """The film of an answer of the record, to be played: see `soid.scene.film_stage`. Nothing is recorded."""

    entry: int

    def do(self, hands: Hands) -> Json:
        from soid.case.filmed import filmed, told_of  # loaded on demand: most answers are about one step
        from soid.scene.film_stage import film_stages

        hands.report(QuestionProgress("fact"))
        case = self.case(hands)
        entry, answer = entry_at(case.entries, self.entry), case.recall(self.entry)
        at = case.project_at(entry.step, entry.log)
        with hands.settings.opening(hands.cancel):
            found = filmed(at, answer)
        hands.refuse_if_called_off("film")
        stages = film_stages(found) if found is not None else ()
        return {"entry": self.entry, "about": told_of(at, answer), "stages": [json_of(each) for each in stages]}


@final
class WaysTask(CaseTask, frozen=True, tag="ways"):
    """The ways that the fact and an answer's scenario take through the program. Nothing is recorded."""

    entry: int

    def do(self, hands: Hands) -> Json:
        from soid.explanation.ways.both_ways import both_ways  # loaded on demand, as explanations are

        hands.report(QuestionProgress("fact"))
        case = self.case(hands)
        entry, answer = entry_at(case.entries, self.entry), case.recall(self.entry)
        at = case.project_at(entry.step, entry.log)
        found = both_ways(at.logged.supplied_with(answer.supplied), answer, at.context(hands.cancel, hands.report))
        hands.refuse_if_called_off("the ways")
        return {"entry": self.entry, "ways": None if found is None else json_of(found)}


@final
class StudyTask(CaseTask, frozen=True, tag="study"):
    """Study a moment, and record the result: causes, a map or an explanation."""

    wanted: Request
    step: int | str
    log: str

    def do(self, hands: Hands) -> Json:
        case = self.case(hands)
        made = case.study(self.wanted, step=self.step, log=self.log, cancel=hands.cancel, progress=hands.report)
        return {"entry": made.entry.number, "statement": made.entry.payload["statement"]}


@final
class WhyTask(CaseTask, frozen=True, tag="because"):
    """Put the four questions of a cause, and record their answers."""

    question: str
    step: int | str
    log: str

    def do(self, hands: Hands) -> Json:
        from soid.case.asked_line import asked_why  # loaded on demand, with the language of scripts

        case = self.case(hands)
        return json_of(asked_why(case, self.question, case.moment(self.step, self.log), hands.cancel, hands.report))


@final
class ScriptTask(CaseTask, frozen=True, tag="script"):
    """Run a script, and record its answers and its conclusion; each line is told as it begins and as it is answered."""

    name: str  # of the script's file
    text: str

    def do(self, hands: Hands) -> Json:
        from soid.case.case_script import CaseScript  # loaded on demand, with the language of scripts
        from soid.case.script_documents import AskedDocument, event_document
        from soid.case.script_run import ScriptFile

        hands.report(QuestionProgress("fact"))
        source = ScriptFile.of(self.text, self.name)
        script = CaseScript(self.case(hands), source, lambda do: do(hands.cancel, hands.report))
        told: Struct | None = None
        for event in script.events(lambda span: hands.happen({"event": "asking", "line": source.line(span)})):
            told = event_document(event, source.line)
            if isinstance(told, AskedDocument):
                told = replace(told, answer=None)  # it is on the record
            hands.happen(json_of(told))
            hands.refuse_if_called_off("script")
        assert told is not None, "the last event is the outcome"
        return {"script": self.name, **json_of(told)}


@final
class ProgramsTask(CaseTask, frozen=True, tag="programs"):
    """Put the same questions to several programs, and record the answers."""

    questions: list[str]
    programs: list[str]  # none: all of them
    step: int | str
    log: str

    def do(self, hands: Hands) -> Json:
        from soid.case.program_comparison import compare  # loaded on demand: most cases have one program

        case, entries = self.case(hands), list[int]()
        asking, at = partial(_recording, self, hands, entries), case.project_at(self.step, self.log)
        made = compare(at, self.questions, self.programs, hands.cancel, hands.report, asking)
        numbers = iter(entries)  # question by question
        by_program = [dict(zip(made.programs, numbers, strict=False)) for _ in made.questions]
        return {**json_of(made.document), "entries": by_program}


@final
class DifferTask(CaseTask, frozen=True, tag="differ"):
    """Find out where two programs part, and record the two answers that say so."""

    one: str
    other: str
    over: str
    by: str | None
    step: int | str
    log: str

    def do(self, hands: Hands) -> Json:
        from soid.case.program_comparison import differ
        from soid.mapping.map_svg import svg

        case, entries = self.case(hands), list[int]()
        asking, at = partial(_recording, self, hands, entries), case.project_at(self.step, self.log)
        made = differ(at, self.one, self.other, self.over, self.by, hands.cancel, hands.report, asking)
        hands.refuse_if_called_off("comparison")
        told = {"asked": made.question(at.logged), "sentences": list(made.sentences), "entries": entries}
        return {**json_of(made.document), **told, "svg": svg(made.drawn) if made.drawn is not None else None}


def _recording(task: ProgramsTask | DifferTask, hands: Hands, entries: list[int], query: Query) -> Answer:
    """The answer to one of several questions, which the case records."""
    found = task.case(hands).ask(
        to_text(query), step=task.step, log=task.log, cancel=hands.cancel, progress=hands.report
    )
    entries.append(found.entry.number)
    return found.answer


@final
class AbstractionTask(CaseTask, frozen=True, tag="abstraction"):
    """The abstraction from all answered questions, its picture, and it in words. Nothing is recorded."""

    inside: bool = False  # also the states inside the program

    def do(self, hands: Hands) -> Json:
        from soid.case.abstraction import abstraction_of, answered
        from soid.case.abstraction_picture import svg
        from soid.case.abstraction_words import in_words

        case = self.case(hands)
        asked = answered(case)
        found = abstraction_of(asked, cancel=hands.cancel, progress=hands.report, inside=self.inside)
        hands.refuse_if_called_off("abstraction")
        program = case.project_at().program
        drawn = svg(found, program.interface, program.name)
        words = in_words(found, program.interface, program.name)
        return {**json_of(found.document), "svg": drawn, "words": json_of(words)}


@final
class CompareTask(CaseTask, frozen=True, tag="compare"):
    """Compare a whole log with the program, and record the result. What is called off is not recorded."""

    log: str

    def do(self, hands: Hands) -> Json:
        done = self.case(hands).compare_log(self.log, cancel=hands.cancel, progress=hands.report)
        return {"entry": done.entry.number, **{key: done.entry.payload[key] for key in ("log", "verdict", "result")}}


@final
class AcceptTask(CaseTask, frozen=True, tag="accept"):
    """Record that the investigator accepts that log and program differ."""

    why: str
    step: int
    log: str

    def do(self, hands: Hands) -> Json:
        hands.report(QuestionProgress("fact"))
        return json_of(self.case(hands).accept_log_mismatch(self.why, step=self.step, log=self.log).document)


@final
class ReportTask(CaseTask, frozen=True, tag="report"):
    """Write the report of the case, as a page or printed."""

    to: Path = Path()  # the desk sets it
    pdf: bool = False

    def do(self, hands: Hands) -> Json:
        from soid.case.report.document import report  # loaded on demand: it doubles a worker's start-up time
        from soid.release import version

        hands.report(QuestionProgress("writing the report"))
        case = self.case(hands)
        page = report(case, made_by=f"soid {version()}").encode()
        if self.pdf:
            from soid.case.report.pdf import print_page

            hands.report(QuestionProgress("printing"))
            try:
                print_page(page.decode(), self.to, hands.cancel)
            except EnvironmentalError:
                hands.refuse_if_called_off("report")
                raise
        else:
            self.to.write_bytes(page)
        facts = [json_of(fact.document) for fact in case.numbered_facts]
        return {"sha256": hashlib.sha256(page).hexdigest(), "facts": facts, "head": case.entries[-1].hash}


@final
class BundleTask(CaseTask, frozen=True, tag="bundle"):
    """Write the evidence bundle of the case, which others can check."""

    to: Path = Path()  # the desk sets it

    def do(self, hands: Hands) -> Json:
        from soid.evidence.bundle import bundle

        made = bundle(self.file, cancel=hands.cancel, report=lambda words: hands.report(QuestionProgress(words)))
        hands.refuse_if_called_off("bundle")
        self.to.write_bytes(made.data)
        return {
            "sha256": hashlib.sha256(made.data).hexdigest(),
            "facts": list(made.facts),
            "refused": [{"entry": number, "why": why} for number, why in made.refused],
            "head": made.head,
        }


@final
class VerifyTask(Struct, frozen=True, tag="verify"):
    """Verify an uploaded bundle, and write the page that says what came of it. Nothing is recorded."""

    bundle: Path
    name: str  # that it was sent under
    key: str | None  # the fingerprint of the key that must have signed it
    to: Path = Path()  # the desk sets it

    def do(self, hands: Hands) -> Json:
        from soid.web.work.uploaded_files import verified  # loaded on demand, with all that checks

        return verified(self, hands)


@final
class RestoreTask(CaseTask, frozen=True, tag="restore"):
    """Make a case of an uploaded bundle."""

    bundle: Path
    name: str  # that it was sent under

    def do(self, hands: Hands) -> Json:
        from soid.web.work.uploaded_files import restored

        return restored(self, hands)


@final
class CreateTask(CaseTask, frozen=True, tag="create"):
    """Create a case on a project."""

    title: str
    project: Path
    stranger: bool = False  # it was uploaded
    called: Mapping[str, str] = field(default_factory=dict)  # see `Case.create`

    def do(self, hands: Hands) -> Json:
        hands.report(QuestionProgress("program"))
        said: Json = {"title": self.title, "who": self.who, "stranger": self.stranger, "called": self.called}
        with Case.create(self.file, self.project, **said) as case:
            case.project_at()  # fills the cache for the server
        return {"id": self.file.stem}


@final
class LookTask(Struct, frozen=True, tag="look"):
    """Inspect uploaded files."""

    area: Path  # the folder with the files
    name: str  # of the program
    declared: UploadManifest
    given: Mapping[str, str] = field(default_factory=dict)  # the files that were sent under other names

    def do(self, hands: Hands) -> Json:
        from soid.web.work.uploaded_files import look  # loaded on demand, with the compiler's packages

        hands.report(QuestionProgress("program"))
        with hands.settings.opening():
            return look(self)


@final
class MakeTask(CaseTask, frozen=True, tag="make"):
    """Create a case on uploaded files."""

    title: str
    uploaded: LookTask

    def do(self, hands: Hands) -> Json:
        from soid.web.work.uploaded_files import make

        hands.report(QuestionProgress("program"))
        with hands.settings.opening():
            return make(self, hands)


@final
class DriveTask(CaseTask, frozen=True, tag="drive"):
    """Run an example's world, and create a case on the run."""

    title: str
    example: str
    setup: Setup

    def do(self, hands: Hands) -> Json:
        from soid.examples import simulation_of

        hands.report(QuestionProgress("driving"))
        with tempfile.TemporaryDirectory(prefix="soid-run-") as scratch:
            ran = simulation_of(self.example).run(self.setup, Path(scratch) / self.example)
            made = CreateTask(self.file, self.who, self.title, ran.project).do(hands)
            return {**made, **ran.summary}


_Asked = AskTask | ResumeTask | ExplainTask | MomentTask | MapTask | SweepTask | FilmTask | WaysTask | AbstractionTask
_OfCase = (
    _Asked
    | ScriptTask
    | WhyTask
    | ProgramsTask
    | DifferTask
    | StudyTask
    | CompareTask
    | AcceptTask
    | ReportTask
    | BundleTask
)
DeskTask = _OfCase | CreateTask | LookTask | MakeTask | DriveTask | VerifyTask | RestoreTask


@final
class WorkOrder(Struct, frozen=True):
    """From the desk."""

    job: str  # its id
    task: DeskTask | None = None  # None: the job is cancelled


@final
class TaskEvent(Struct, frozen=True, tag="event"):
    """From a worker: something that has happened on the way to the result, such as one of many answers."""

    event: Json


@final
class TaskOutcome(Struct, frozen=True, tag="outcome"):
    """From a worker: the end of a task."""

    state: JobState  # a final one
    result: Json | None = None
    error: Trouble | None = None


TaskReply = JobProgress | TaskEvent | TaskOutcome


def kind_of(task: DeskTask) -> str:
    """The `kind` of the job of a task.

    >>> kind_of(AbstractionTask(Path("oven.case"), "ada"))
    'abstraction'
    """
    return str(type(task).__struct_config__.tag)
