"""What a line of a script may ask besides a question, asked by itself: whether this was why, causes, a map.

>>> from soid.examples import folder
>>> oven = Project.open(folder("microwave"))
>>> put = read_line("action == CLOSE because closed == false", oven)
>>> isinstance(put, PutCause) and put.otherwise.text, line_sentence(put, oven)
('would action != CLOSE if closed != false', 'Did it close the door because the door switch was false?')
>>> read_line("would action == CLOSE if closed is anything", oven) is None
True
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from soid.budget import Cancellation
from soid.case.case import Case
from soid.case.project import Project
from soid.case.record.study_request import MapRequest, Request
from soid.case.script_oracles import RecordingOracle
from soid.case.script_runner import ASKS, AnsweredQuestion, Caused, run
from soid.case.studies import causes_wanted
from soid.case.validity import Moment
from soid.documents import Document
from soid.errors import ErrorDocument, InputError, QueryError
from soid.mapping.partition import Fineness
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import QuestionProgress
from soid.query.language.query_errors import drawn
from soid.query.language.query_parser import parse, parse_suppositions
from soid.query.language.query_printer import behavior_text, suppositions_text
from soid.query.language.script import nodes
from soid.query.language.script.checked_questions import put, study
from soid.query.language.script.definitions import Definitions
from soid.query.language.script.plan import PlannedMoment, PutCause, PutStudy, ScriptPlan
from soid.query.language.script.script_parser import parse_line
from soid.query.language.script.script_printer import condition_text
from soid.query.query import Query, QueryKind
from soid.query.words import Words, listed
from soid.scenario.expression import TextSpan
from soid.scenario.supposition import freed

#: what only such a line has; anything else is read as a question, also to say what is wrong with it
_LINE: Final = re.compile(r"\s*(?!(?:did|would|might)\b)(?:causes\s+of\b|map\s|.*\bbecause\b)", re.DOTALL)


def is_line(text: str) -> bool:
    """Whether a text is such a line, or would be one if nothing were wrong with it."""
    return _LINE.match(text) is not None


def read_line(text: str, project: Project) -> PutCause | PutStudy | None:
    """The line, checked for this program; None if it is none of these, but a question."""
    if not is_line(text):
        return None
    line, span = parse_line(text), TextSpan(0, len(text))
    names = Definitions(project.program.interface)
    with drawn(text):
        match line:
            case nodes.Ask(nodes.Cause() as condition):
                found = put(condition, names, project.program.source.steps, span)
                assert isinstance(found, PutCause)
                return found
            case nodes.StudyCauses() | nodes.StudyMap():
                return study(line, names, lambda _: 0, span)
    return None


def line_text(asked: PutCause | PutStudy) -> str:
    """The line in its normal form."""
    if isinstance(asked, PutCause):
        return asked.text
    if asked.kind == "map":
        return f"map {asked.asked}" + (f" by {asked.by}" if asked.by is not None else "")
    return causes_text(parse(asked.asked))


def why_text(query: Query) -> str:
    """The line that asks whether what a `would` supposes was why it happened."""
    return condition_text(nodes.Cause(query.behavior, query.suppositions, query.steps))


def causes_text(query: Query) -> str:
    """The line that asks for the causes, among what a `would` supposes."""
    steps = f" {query.steps}" if query.steps is not None else ""
    return f"causes of {behavior_text(query.behavior)}{steps} over {suppositions_text(query.suppositions)}"


def line_sentence(asked: PutCause | PutStudy, project: Project) -> str:
    """The line in words."""
    interface = project.program.interface
    words = Words(interface, log=project.trace)
    if isinstance(asked, PutCause):
        return words.because(asked.happened.query, asked.whenever.query.suppositions)
    if asked.kind == "map":
        among = freed(interface, parse_suppositions(asked.asked, interface))
        return f"What happens where, along {listed(map(words.called, among))}?"
    query = project.causing(asked.asked).query
    return words.causing(did_of(query), freed(interface, query.suppositions))


def did_of(query: Query) -> Query:
    """Whether the same happened in fact."""
    steps = replace(query.steps, future=None) if query.steps is not None else None
    return Query(QueryKind.DID, query.behavior, steps=steps)


def study_wanted(asked: PutStudy, project: Project) -> Request:
    """The request for causes, or for a map."""
    if asked.kind == "map":
        return MapRequest(asked.asked, asked.by, Fineness().resolution)
    return causes_wanted(project, asked.asked, "")


# --- whether this was why -------------------------------------------------------------------------------------


class DirectionDocument(Document, frozen=True):
    """One of the four questions that a cause consists of, with its answer."""

    asks: str  # in words
    question: str
    verdict: Verdict
    entry: int | None


class WhyDocument(Document, frozen=True):
    """Whether something was why, from the answers to four questions, which are on the record."""

    question: str
    sentence: str
    verdict: Verdict
    reason: str
    error: ErrorDocument | None
    directions: list[DirectionDocument]


def asked_why(
    case: Case,
    text: str,
    moment: Moment,
    cancel: Cancellation,
    progress: Callable[[QuestionProgress], None],
) -> WhyDocument:
    """Put the four questions of a cause to a case, which records their answers; one on the record is not put again."""
    project = case.project_at(moment.name or moment.step, moment.log)
    asked = read_line(text, project)
    if not isinstance(asked, PutCause):
        raise QueryError("this does not ask whether something was why", "Write: move because signal == RIGHT")
    oracle = RecordingOracle(case, {None: moment.log}, lambda do: do(cancel, progress))
    start = PlannedMoment(moment.step, None, moment.name)
    plan = ScriptPlan((asked,), start, {}, project.program.interface, concludes=False)
    directions: list[DirectionDocument] = []
    errors: list[ErrorDocument] = []
    why: Caused | None = None
    for event in run(plan, oracle):
        if isinstance(event, AnsweredQuestion):
            reply = event.reply
            asks = ASKS[len(directions)]
            directions.append(DirectionDocument(asks, event.put.text, reply.verdict, reply.number))
            if reply.verdict is Verdict.ERROR:
                known = reply.answer.error if reply.answer is not None else None
                errors.append(known or ErrorDocument(InputError.code, InputError.__name__, reply.reason, ""))
        elif isinstance(event, Caused):
            why = event
    assert why is not None, "a cause has an end"
    error = errors[0] if errors and why.verdict is Verdict.ERROR else None
    reason = why.reason if error is None else error.cause
    return WhyDocument(asked.text, line_sentence(asked, project), why.verdict, reason, error, directions)
