"""Routes to the record of a case: questions, answers, notes and retractions."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from msgspec import ValidationError

from soid.case.custody.log_attestation import LogStatement
from soid.case.known_flips import recorded_explanation
from soid.case.moment_picture import answer_svg
from soid.case.record.entry import Entry, EntryKind
from soid.case.record.study_request import request_of
from soid.case.report import comparison_words
from soid.documents import json_of
from soid.errors import NotOnDesk, QueryError
from soid.mapping.settled_svg import svg as settled_svg
from soid.query.words import sentence
from soid.web.api.dependencies import EntryNumber, LogQuery, OfCase, StepQuery, ThemeQuery
from soid.web.api.models import (
    AcceptanceBody,
    AnswerView,
    AttestationBody,
    ComparisonBody,
    ComparisonView,
    DifferenceBody,
    ExplanationBody,
    JobView,
    Json,
    KeyframeBody,
    MapBody,
    NoteBody,
    PreviewView,
    ProgramsBody,
    QuestionBody,
    ResumptionBody,
    RetractionBody,
    ScriptBody,
    ScriptView,
    StoryView,
    StudyBody,
    SuggestionView,
)
from soid.web.case_service import CaseService

router = APIRouter(prefix="/cases/{case_id}", tags=["record"])
asking = APIRouter(prefix="/cases/{case_id}", tags=["asking"])
files = APIRouter(prefix="/cases/{case_id}", tags=["files"])

ReportForm = Annotated[Literal["html", "pdf"], Query(description="A PDF needs a Chromium on the server's machine.")]
After = Annotated[int, Query(ge=0, lt=2**63, description="Only what was added after this entry.")]


@router.get("/entries", summary="Everything on the record")
def list_entries(service: OfCase, after: After = 0) -> list[Json]:
    return [json_of(entry.document) for entry in service.case.entries if entry.number > after]


@router.get("/entries/{number}", summary="One entry of the record")
def show_entry(service: OfCase, number: EntryNumber) -> Json:
    return json_of(_entry(service, number).document)


@router.get("/facts", summary="The FACTS, one a statement: the first answer that establishes each")
def list_facts(service: OfCase) -> list[AnswerView]:
    return [_answer(service, fact.entry) for fact in service.case.numbered_facts]


@router.get("/answers/{number}", summary="An answer, as it was given")
def show_answer(service: OfCase, number: EntryNumber) -> AnswerView:
    return _answer(service, _answered(service, number))


@router.get(
    "/answers/{number}/picture", summary="Its scenario beside the fact, or what is settled", response_class=Response
)
def draw_answer(service: OfCase, number: EntryNumber, theme: ThemeQuery = "auto") -> Response:
    case, entry = service.case, _answered(service, number)
    answer = case.recall(entry.number)
    if answer.witness is None and answer.settled is not None:
        return Response(settled_svg(answer.settled, theme), media_type="image/svg+xml")
    if answer.witness is None:
        raise NotOnDesk(f"entry {number} shows no scenario that can be drawn", "Its words say what was found.")
    keyframe = case.project_at(entry.step, entry.log).logged.supplied_with(answer.supplied)
    explanation = recorded_explanation(case.entries, entry.number)
    drawn = answer_svg(case.scene, keyframe, answer, answer.witness, explanation, theme)
    return Response(drawn, media_type="image/svg+xml")


@router.get("/story", summary="What happened at a moment, and the harm, in sentences")
def tell_story(service: OfCase, step: StepQuery = None, log: LogQuery = None) -> StoryView:
    return StoryView.model_validate(service.story(step=step, log=log))


@router.get("/questions", summary="What to ask at a moment, the most useful first, with the answers so far")
def suggest(service: OfCase, step: StepQuery = None, log: LogQuery = None) -> list[SuggestionView]:
    return [SuggestionView.model_validate(each) for each in service.suggestions(step=step, log=log)]


@asking.post("/preview", summary="A question as it would be understood; nothing is asked")
def preview(service: OfCase, given: QuestionBody) -> PreviewView:
    return PreviewView.model_validate(service.preview(given.question, step=given.step, log=given.log))


@asking.post("/questions", status_code=202, summary="Put a question; its answer is on the record when the job is done")
def ask(service: OfCase, given: QuestionBody) -> JobView:
    job = service.ask(given.question, step=given.step, log=given.log, window=given.window)
    return JobView.model_validate(job)


@asking.post("/answers/{number}/resumption", status_code=202, summary="Go on with a question that was left open")
def resume(service: OfCase, number: EntryNumber, given: ResumptionBody) -> JobView:
    return JobView.model_validate(service.resume(_answered(service, number).number, seconds=given.seconds))


@asking.post("/answers/{number}/explanation", status_code=202, summary="Explain an answer; nothing is recorded")
def explain(service: OfCase, number: EntryNumber, given: ExplanationBody) -> JobView:
    return JobView.model_validate(service.explain(_answered(service, number).number, others=given.others))


@asking.post("/map", status_code=202, summary="What happens where, along one or two variables; not recorded")
def draw_map(service: OfCase, given: MapBody) -> JobView:
    return JobView.model_validate(service.map(given.over, by=given.by, step=given.step, log=given.log))


@asking.post("/studies", status_code=202, summary="Causes, a map or an explanation; the result is recorded")
def study(service: OfCase, given: StudyBody) -> JobView:
    try:
        wanted = request_of(given.wanted)
    except ValidationError as error:
        problem = f"this says nothing that can be studied: {error}"
        raise QueryError(problem, "See `studied` in `soid docs json`.") from None
    return JobView.model_validate(service.study(wanted, step=given.step, log=given.log))


@router.get("/scripts", summary="The scripts that the case holds")
def list_scripts(service: OfCase) -> list[ScriptView]:
    return [ScriptView.model_validate(each) for each in service.scripts()]


@asking.post("/scripts", status_code=202, summary="Run a script; the job's events tell each line, as `soid run --json`")
def run_script(service: OfCase, given: ScriptBody) -> JobView:
    return JobView.model_validate(service.run_script(given.name, given.text))


@asking.post("/programs/comparison", status_code=202, summary="The same questions put to several programs; recorded")
def compare_programs(service: OfCase, given: ProgramsBody) -> JobView:
    job = service.compare_programs(given.questions, given.programs, step=given.step, log=given.log)
    return JobView.model_validate(job)


@asking.post("/programs/difference", status_code=202, summary="Where two programs part; the answers are recorded")
def differ(service: OfCase, given: DifferenceBody) -> JobView:
    found = service.differ(given.one, given.other, given.over, by=given.by, step=given.step, log=given.log)
    return JobView.model_validate(found)


@asking.post("/abstraction", status_code=202, summary="What all answers together have shown; not recorded")
def abstraction(service: OfCase, inside: bool | None = None) -> JobView:
    return JobView.model_validate(service.abstraction(inside=inside))


@router.get("/comparisons", summary="The comparisons of whole logs with the program")
def list_comparisons(service: OfCase) -> list[ComparisonView]:
    compared = [entry for entry in service.case.entries if entry.kind is EntryKind.COMPARED]
    return [_comparison(entry) for entry in compared]


@asking.post("/comparisons", status_code=202, summary="Compare a whole log with the program; the result is recorded")
def compare(service: OfCase, given: ComparisonBody) -> JobView:
    return JobView.model_validate(service.compare(log=given.log))


@router.post("/keyframes", status_code=201, summary="Give a moment a name")
def name_moment(service: OfCase, given: KeyframeBody) -> Json:
    return json_of(service.keyframe(given.step, given.name, log=given.log).document)


@router.post("/notes", status_code=201, summary="Say something about an entry")
def note(service: OfCase, given: NoteBody) -> Json:
    return json_of(service.note(given.entry, given.text).document)


@router.delete("/notes/{number}", summary="Take a note back; it stays on the record")
def withdraw_note(service: OfCase, number: EntryNumber) -> Json:
    return json_of(service.withdraw_note(_entry(service, number).number, "taken back").document)


@router.post("/retractions", status_code=201, summary="Take an entry back; it stays on the record")
def retract(service: OfCase, given: RetractionBody) -> Json:
    return json_of(service.retract(given.entry, given.why).document)


@router.post("/attestations", status_code=201, summary="Record where a log comes from; it is checked")
def attest(service: OfCase, given: AttestationBody) -> Json:
    signature = None if given.signature is None else bytes.fromhex(given.signature)
    stated = LogStatement(given.log, given.sha256, signature, given.key, given.name)
    return json_of(service.attest_log(stated).document)


@router.post("/acceptances", status_code=202, summary="Go on where log and program differ")
def accept(service: OfCase, given: AcceptanceBody) -> JobView:
    return JobView.model_validate(service.accept_log_mismatch(given.why, step=given.step, log=given.log))


@files.post("/report", status_code=202, summary="The case as a page, or as a PDF: the job's file")
def report(service: OfCase, form: ReportForm = "html") -> JobView:
    return JobView.model_validate(service.report(pdf=form == "pdf"))


@files.post("/bundle", status_code=202, summary="The case as evidence that others check: the job's file")
def bundle(service: OfCase) -> JobView:
    return JobView.model_validate(service.bundle())


def _entry(service: CaseService, number: int) -> Entry:
    if not 1 <= number <= len(service.case.entries):
        raise NotOnDesk(f"there is no entry {number}", "The list of entries has those that there are.")
    return service.case.entry(number)


def _answered(service: CaseService, number: int) -> Entry:
    entry = _entry(service, number)
    if entry.kind is not EntryKind.ANSWERED:
        raise NotOnDesk(f"entry {number} is no answer", "The list of entries says what each is.")
    return entry


def _comparison(entry: Entry) -> ComparisonView:
    return ComparisonView(
        entry=entry.number,
        log=entry.payload["log"],
        verdict=entry.payload["verdict"],
        told=list(comparison_words.told(comparison_words.comparison_of(entry))),
        result=entry.payload["result"],
        who=entry.who,
        when=entry.when,
    )


def _answer(service: CaseService, entry: Entry) -> AnswerView:
    answer = service.case.recall(entry.number)
    return AnswerView(
        entry=entry.number,
        sentence=sentence(answer.query, service.case.interface, log=service.case.project_at(log=entry.log).trace),
        answer=json_of(answer.document),
        fact=entry.fact,
        who=entry.who,
        when=entry.when,
        notes=[json_of(note.document) for note in service.case.notes_on(entry.number)],
        counts=entry.number not in service.case.retracted,
        picture=answer.witness is not None or answer.settled is not None,
    )
