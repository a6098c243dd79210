"""The two sources of answers for a script: the oracle alone, or a case that records the answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol, TypeVar, assert_never, final

from msgspec import Struct

from soid.budget import Cancellation
from soid.case.case import Case, RecordedAnswer
from soid.case.project import Project
from soid.case.record.entry import Entry
from soid.case.record.study_request import ExplanationRequest, MapRequest, Request
from soid.case.script_runner import KnownAnswer, KnownStudy
from soid.case.studies import causes_wanted, made, stated
from soid.case.validity import struck
from soid.documents import json_of
from soid.errors import CaseError, InputError
from soid.explanation.explainer import OTHERS
from soid.mapping.partition import Fineness
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import QuestionProgress
from soid.query.language.script.plan import PlannedMoment, PutStudy

T = TypeVar("T")

#: recorded verdicts that are reused; an unknown one is asked again, because more time may settle it
_SETTLED: Final = (Verdict.YES, Verdict.NO, Verdict.VACUOUS)


class Watch(Protocol):
    """Runs a long task: a shell shows its progress, and cancels it on Ctrl-C."""

    def __call__(self, do: Callable[[Cancellation, Callable[[QuestionProgress], None]], T], /) -> T: ...


def unwatched(do: Callable[[Cancellation, Callable[[QuestionProgress], None]], T], /) -> T:
    return do(Cancellation(), lambda progress: None)


@final
class DirectOracle(Struct, frozen=True):
    """Puts questions to the oracle and records nothing."""

    projects: Mapping[str | None, Project]  # by the name that the script gives the log
    watch: Watch = unwatched

    def recorded(self, question: str, moment: PlannedMoment, /) -> KnownAnswer | None:
        return None

    def ask(self, question: str, moment: PlannedMoment, /) -> KnownAnswer:
        project = self.projects[moment.log]
        if moment.step is not None:
            project = project.at(moment.step)

        def do(cancel: Cancellation, report: Callable[[QuestionProgress], None]) -> Answer:
            return project.ask(question, cancel=cancel, progress=report)

        try:
            answer = self.watch(do)
        except InputError as error:
            return _failed(error)
        return KnownAnswer(answer.verdict, answer.reason, answer=answer)

    def study(self, put: PutStudy, moment: PlannedMoment, explained: KnownAnswer | None, /) -> KnownStudy:
        project = self.projects[moment.log]
        at = project if moment.step is None else project.at(moment.step)
        wanted = _wanted(put, at, explained)
        try:
            found = self.watch(lambda cancel, report: made(wanted, at, cancel, report))
        except InputError as error:
            return KnownStudy(f"Not found: {error.cause}.")
        return KnownStudy(stated(wanted, json_of(found.document), at.program.interface))


@final
class RecordingOracle(Struct, frozen=True):
    """Puts questions to a case: each answer is recorded before it is returned, and recorded answers are reused."""

    case: Case
    logs: Mapping[str | None, str]  # the log's name in the script to its name in the case
    watch: Watch = unwatched

    def recorded(self, question: str, moment: PlannedMoment, /) -> KnownAnswer | None:
        entry = self.case.answer_to(question, step=moment.step, log=self.logs[moment.log])
        if entry is None or entry.verdict not in _SETTLED or not self._counts(entry):
            return None
        answer = self.case.recall(entry.number)
        return KnownAnswer(answer.verdict, answer.reason, entry.number, answer)

    def _counts(self, entry: Entry) -> bool:
        """Whether the acceptance that it rests on counts, and the settings that can change an answer are the same."""
        if entry.payload["accepted"] in struck(self.case.entries):
            return False
        assert entry.asked is not None
        asked = self.case.entries[entry.asked - 1].payload["settings"]
        now = self.case.settings
        return (asked["window"], asked["replay"]) == (now.window, now.replay)

    def ask(self, question: str, moment: PlannedMoment, /) -> KnownAnswer:
        step = moment.step if moment.keyframe is None else moment.keyframe

        def do(cancel: Cancellation, report: Callable[[QuestionProgress], None]) -> RecordedAnswer:
            return self.case.ask(question, step=step, log=self.logs[moment.log], cancel=cancel, progress=report)

        try:
            found = self.watch(do)
            return KnownAnswer(found.answer.verdict, found.answer.reason, found.entry.number, found.answer)
        except CaseError:
            raise
        except InputError as error:
            return _failed(error)

    def study(self, put: PutStudy, moment: PlannedMoment, explained: KnownAnswer | None, /) -> KnownStudy:
        """A study of the record is not made again."""
        log, step = self.logs[moment.log], moment.step if moment.keyframe is None else moment.keyframe
        here = self.case.moment(step, log)
        wanted = _wanted(put, self.case.project_at(step, log), explained)
        for entry in self.case.studies:
            if here.is_of(entry) and entry.payload["wanted"] == wanted.document:
                return KnownStudy(entry.payload["statement"], entry.number)
        try:
            found = self.watch(
                lambda cancel, report: self.case.study(wanted, step=step, log=log, cancel=cancel, progress=report)
            )
        except CaseError:
            raise
        except InputError as error:
            return KnownStudy(f"Not found: {error.cause}.")
        return KnownStudy(found.entry.payload["statement"], found.entry.number)


def _wanted(put: PutStudy, project: Project, explained: KnownAnswer | None) -> Request:
    match put.kind:
        case "causes":
            return causes_wanted(project, put.asked, "")
        case "map":
            return MapRequest(put.asked, put.by, Fineness().resolution)
        case "explanation":
            assert explained is not None and explained.answer is not None, "there is an answer to explain"
            question = project.normal_text(explained.answer.text)
            return ExplanationRequest(explained.number or 0, question, OTHERS)
        case _:
            assert_never(put.kind)


def _failed(error: InputError) -> KnownAnswer:
    """The question could not be answered: for example, the log ends too early for it."""
    return KnownAnswer(Verdict.ERROR, error.cause)
