"""The entries of a case, sorted for the parts of its report: FACTS, other answers, moments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

from msgspec import Struct, field

from soid.case import validity
from soid.case.case import Case
from soid.case.custody.custody import Custody
from soid.case.numbered_facts import NumberedFact, fact_numbers
from soid.case.record.entry import Entry, EntryKind
from soid.case.validity import Moment, ScriptConclusion
from soid.errors import ManifestError
from soid.oracle.answer import Answer
from soid.program.interface import Interface
from soid.scenario.trace import Keyframe
from soid.scene.scene import Scene, scene_of

_OF_A_MOMENT: Final = (EntryKind.KEYFRAME, EntryKind.ASKED, EntryKind.ACCEPTED, EntryKind.STUDIED)


@final
class Contents(Struct, frozen=True):
    """A case, sorted for its readers."""

    case: Case
    entries: tuple[Entry, ...]  # those that were checked; without entries added while the page is made
    custody: Custody  # who signed what; time stamps; where logs come from
    struck: frozenset[int]  # those that no longer count
    facts: tuple[NumberedFact, ...]
    numbers: dict[int, int]  # of facts, by entry, also of those that no longer count
    neither: tuple[Entry, ...]  # questions without a yes or a no: another verdict, a failure, or no answer
    studies: tuple[Entry, ...]  # causes, maps and explanations that were not retracted
    withdrawn: tuple[Entry, ...]  # answers that no longer count
    conclusions: tuple[ScriptConclusion, ...]
    moments: tuple[Moment, ...]  # that the case is about, in the order of logs and steps
    scene: Scene | None
    no_scene: str  # why the project's scene cannot be used
    _keyframes: dict[tuple[str | None, int | None], Keyframe] = field(default_factory=dict)

    @classmethod
    def of(cls, case: Case) -> Contents:
        """The contents of a case whose chain holds; else ChainError."""
        entries = case.entries[: case.verify_chain().number]
        held = case.custody()
        facts, struck = case.numbered_facts_of(entries), validity.struck(entries)
        counting = validity.in_force(entries, EntryKind.ANSWERED, EntryKind.FAILED)
        neither = [each for each in counting if each.verdict is not None and not each.verdict.is_definite]
        counted = {each.number for each in (*validity.facts(entries), *neither)}
        gone = [each for each in entries if each.kind is EntryKind.ANSWERED and each.number not in counted]
        scene, no_scene = _scene(case)
        return cls(
            case=case,
            entries=entries,
            custody=held,
            struck=struck,
            facts=facts,
            numbers=fact_numbers(entries),
            neither=tuple(sorted((*neither, *validity.unanswered(entries)), key=lambda each: each.number)),
            studies=validity.in_force(entries, EntryKind.STUDIED),
            withdrawn=tuple(gone),
            conclusions=validity.conclusions(entries),
            moments=tuple(_moments(case, entries)),
            scene=scene,
            no_scene=no_scene,
        )

    @property
    def interface(self) -> Interface:
        """The program's variables, the same at every moment."""
        return self.keyframe(self.moments[0]).interface

    def answer(self, entry: Entry) -> Answer:
        return self.case.recall(entry.number)

    def keyframe(self, about: Entry | Moment) -> Keyframe:
        place = (about.log, about.step)
        if place not in self._keyframes:
            self._keyframes[place] = self.case.project_at(about.step, about.log).keyframe
        return self._keyframes[place]

    def facts_at(self, moment: Moment) -> tuple[Answer, ...]:
        """The answers about a moment that count: they have the program's outcome there, even if the log lacks it."""
        return tuple(self.answer(each.entry) for each in self.facts if moment.is_of(each.entry))

    def place(self, number: int) -> str:
        """The anchor of an entry: the part that shows it if there is one, else its row in the record."""
        shown = self._shown_with.get(number, number)
        return f"entry-{shown}" if shown in self.with_parts else f"record-{number}"

    def called(self, number: int) -> str:
        """An answer by the number of its fact, if it has one."""
        return f"fact {self.numbers[number]}" if number in self.numbers else f"entry {number}"

    @property
    def _shown_with(self) -> dict[int, int]:
        """By entry that repeats a fact: the entry that the fact is shown with."""
        return {again.number: fact.answer for fact in self.facts for again in fact.again}

    @property
    def with_parts(self) -> frozenset[int]:
        """The numbers of the entries that have a part of their own."""
        compared = validity.in_force(self.entries, EntryKind.COMPARED)
        shown = (*(each.entry for each in self.facts), *self.neither, *self.studies, *self.withdrawn, *compared)
        return frozenset(each.number for each in shown)

    def fact_about(self, entry: Entry) -> NumberedFact | None:
        """The fact about the same question and moment, if the question was also answered."""
        return next((each for each in self.facts if entry.number in each.otherwise), None)

    def still_stands(self, entry: Entry) -> NumberedFact | None:
        """The fact that a withdrawn answer stated, if other answers establish it."""
        number = self.numbers.get(entry.number)
        return next((each for each in self.facts if each.number == number), None)


def _moments(case: Case, entries: Sequence[Entry]) -> Iterator[Moment]:
    """The moments of questions, names and acceptances; if there are none, the manifest's."""
    about = validity.in_force(entries, *_OF_A_MOMENT)
    places = {(each.log, each.step) for each in about if each.log is not None and each.step is not None}
    names = {(each.log, each.step): name for name, each in validity.keyframes(entries).items()}
    if not places:
        yield case.moment()
    order = list(case.snapshot.logs)
    for log, step in sorted(places, key=lambda place: (order.index(place[0]), place[1])):
        yield Moment(log, step, names.get((log, step)))


def _scene(case: Case) -> tuple[Scene | None, str]:
    manifest = case.project_at().manifest
    if manifest is None or manifest.scene is None:
        return None, ""
    try:
        return scene_of(manifest), ""
    except ManifestError as error:
        return None, error.cause
