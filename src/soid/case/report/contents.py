"""What of a case goes where in its report: which answers are FACTS, which are not, and which moments it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, final

from soid.case.conclusions import Conclusion, conclusions
from soid.case.investigation import Investigation
from soid.case.moments import Moment
from soid.case.record.entry import Entry, Kind
from soid.case.standing import in_force, struck
from soid.errors import ManifestError
from soid.oracle.answer import Answer, Verdict
from soid.scenario.trace import Keyframe
from soid.scene.picture import Picture
from soid.scene.scene import Scene, scene_of

_OF_A_MOMENT: Final = (Kind.KEYFRAME, Kind.ASKED, Kind.ACCEPTED)


@final
@dataclass(frozen=True, slots=True)
class Contents:
    """A case, sorted for its readers."""

    case: Investigation
    facts: tuple[Entry, ...]
    neither: tuple[Entry, ...]  # questions that got no yes and no no: answered so, failed, or never answered
    withdrawn: tuple[Entry, ...]  # answers that no longer count
    conclusions: tuple[Conclusion, ...]
    moments: tuple[Moment, ...]  # that the case is about, in the order in which they came
    scene: Scene | None
    no_scene: str  # why there is none, though the project has one
    _answers: dict[int, Answer] = field(default_factory=dict)  # those that were recalled, by entry

    @classmethod
    def of(cls, case: Investigation) -> Contents:
        entries = case.entries
        facts, counting = case.facts, in_force(entries, Kind.ANSWERED, Kind.FAILED)
        numbers = {fact.number for fact in facts}
        fallen = struck(entries)
        neither = [each for each in counting if each.verdict in (Verdict.VACUOUS, Verdict.UNKNOWN, Verdict.ERROR)]
        answered = [each for each in entries if each.kind is Kind.ANSWERED]
        scene, no_scene = _scene(case)
        return cls(
            case=case,
            facts=facts,
            neither=tuple(sorted((*neither, *case.unanswered), key=lambda each: each.number)),
            withdrawn=tuple(
                each
                for each in answered
                if each.number in fallen or (each.fact is not None and each.number not in numbers)
            ),
            conclusions=conclusions(entries),
            moments=tuple(_moments(case)),
            scene=scene,
            no_scene=no_scene,
        )

    def answer(self, entry: Entry) -> Answer:
        """As it was given."""
        if entry.number not in self._answers:
            self._answers[entry.number] = self.case.recall(entry.number)
        return self._answers[entry.number]

    def keyframe(self, entry: Entry | Moment) -> Keyframe:
        return self.case.case_at(entry.step, entry.log).keyframe

    def answer_at(self, moment: Moment) -> Answer | None:
        """Some answer about a moment: it knows what the program decided there, where the log does not say it."""
        return next((self.answer(each) for each in self.case.entries if _is_answer(each) and moment.is_of(each)), None)

    def picture(self, draw: Callable[[Scene], Picture]) -> Picture | None:
        """What is drawn, where the case has a scene."""
        return draw(self.scene) if self.scene is not None else None

    def place(self, number: int) -> str:
        """Where the page shows an entry: by itself if it is an answer, else in the record."""
        alone = any(each.number == number for each in (*self.facts, *self.neither, *self.withdrawn))
        return f"entry-{number}" if alone else f"record-{number}"

    def later_fact(self, entry: Entry) -> Entry | None:
        """The fact that answers the same question about the same moment, if it was put again."""
        same = (entry.question, entry.log, entry.step)
        return next((each for each in self.facts if (each.question, each.log, each.step) == same), None)


def _is_answer(entry: Entry) -> bool:
    return entry.kind is Kind.ANSWERED


def _moments(case: Investigation) -> Iterator[Moment]:
    """Those asked about, named, or spoken of in an acceptance; where there are none, the manifest's."""
    about = in_force(case.entries, *_OF_A_MOMENT)
    places = {(each.log, each.step) for each in about if each.log is not None and each.step is not None}
    names = {(each.log, each.step): name for name, each in case.keyframes.items()}
    if not places:
        yield case.moment()
    order = list(case.snapshot.logs)
    for log, step in sorted(places, key=lambda place: (order.index(place[0]), place[1])):
        yield Moment(log, step, names.get((log, step)))


def _scene(case: Investigation) -> tuple[Scene | None, str]:
    manifest = case.case_at().manifest
    if manifest is None or manifest.scene is None:
        return None, ""
    try:
        return scene_of(manifest), ""
    except ManifestError as error:
        return None, error.cause
