"""Who answers a script's questions: the oracle, or a case that keeps a record of what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol, TypeVar, final

from msgspec import Struct

from soid.budget import Cancellation
from soid.case.case import Case, RecordedAnswer
from soid.case.project import Project
from soid.case.record.entry import Entry
from soid.case.script_runner import KnownAnswer
from soid.case.validity import struck
from soid.errors import CaseError, InputError
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import QuestionProgress
from soid.query.language.script.plan import PlannedMoment

T = TypeVar("T")

#: what the record has and is not asked about again; what is unknown may be known with more time
_SETTLED: Final = (Verdict.YES, Verdict.NO, Verdict.VACUOUS)


class Watch(Protocol):
    """Does a piece of work that may take a while: a shell shows its progress, and calls it off on Ctrl-C."""

    def __call__(self, do: Callable[[Cancellation, Callable[[QuestionProgress], None]], T], /) -> T: ...


def unwatched(do: Callable[[Cancellation, Callable[[QuestionProgress], None]], T], /) -> T:
    return do(Cancellation(), lambda progress: None)


@final
class DirectOracle(Struct, frozen=True):
    """The oracle itself: nothing is kept."""

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


@final
class RecordingOracle(Struct, frozen=True):
    """A case: each answer is on the disk before it is seen, and one that is there is not asked for again."""

    case: Case
    logs: Mapping[str | None, str]  # by the name that the script gives it, the one under which the case holds it
    watch: Watch = unwatched

    def recorded(self, question: str, moment: PlannedMoment, /) -> KnownAnswer | None:
        entry = self.case.answer_to(question, step=moment.step, log=self.logs[moment.log])
        if entry is None or entry.verdict not in _SETTLED or not self._counts(entry):
            return None
        answer = self.case.recall(entry.number)
        return KnownAnswer(answer.verdict, answer.reason, entry.number, answer)

    def _counts(self, entry: Entry) -> bool:
        """Whether it would be given now as well: what it rests on stands, and it was asked in the same way."""
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


def _failed(error: InputError) -> KnownAnswer:
    """The question could not be answered as it stands: a log that ends too early for it, for example."""
    return KnownAnswer(Verdict.ERROR, error.cause)
