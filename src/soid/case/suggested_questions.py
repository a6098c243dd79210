"""Suggested questions: what to ask of a case at a moment, the most useful first, with the answers that it has by now.

They are those that the manifest lists, then those that suggest themselves (`soid.case.question_candidates`), among them
questions about what mattered to answers of the record. Nothing is run: each one is parsed, checked and put into words.

>>> import tempfile
>>> from pathlib import Path
>>> from soid.examples import folder
>>> scratch = tempfile.TemporaryDirectory()
>>> with Case.create(Path(scratch.name) / "drone.case", folder("drone")) as case:
...     for each in suggested_questions(case)[::4]:
...         print(each.topic.value, "|", each.sentence)
listed | Did it hold its place?
signals | Might it ever not hold its place, whatever the pilot's switch had been?
ranges | Might it ever not hold its place, whatever the dilution of precision had been?
>>> scratch.cleanup()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any, Final, final

from msgspec import Struct

from soid.case import validity
from soid.case.case import Case
from soid.case.project import Project
from soid.case.question_candidates import Candidate, QuestionCandidates, QuestionTopic
from soid.case.record.entry import EntryKind
from soid.case.record.study_request import ExplanationRequest, request_of
from soid.case.validity import Moment
from soid.errors import SoidError
from soid.oracle.answer import Verdict
from soid.program.scenery import Part
from soid.query.language.query_printer import to_text
from soid.query.query import Query, QueryKind
from soid.query.words import sentence
from soid.scenario.supposition import mentioned
from soid.scenario.trace import Keyframe
from soid.scene.picture import decisions_that_follow, drawn_actors
from soid.scene.scene import Scene

#: the topics in their order, and how many questions of each are suggested besides those that the manifest lists
_MOST: Final = {
    QuestionTopic.MATTERED: 4,
    QuestionTopic.LISTED: 0,
    QuestionTopic.DECISIONS: 2,
    QuestionTopic.EVENTS: 2,
    QuestionTopic.SIGNALS: 4,
    QuestionTopic.ORDER: 1,
    QuestionTopic.RANGES: 3,
}


#: what stands above the questions of each topic
HEADINGS: Final = {
    QuestionTopic.LISTED: "Questions of the project",
    QuestionTopic.MATTERED: "What mattered, each by itself",
    QuestionTopic.DECISIONS: "What it decided",
    QuestionTopic.EVENTS: "What came of it",
    QuestionTopic.SIGNALS: "Had this been another",
    QuestionTopic.ORDER: "Had another come first",
    QuestionTopic.RANGES: "Had a number been another",
}


@final
class SuggestedQuestion(Struct, frozen=True):
    """A question, ready to be asked. It is its own document."""

    topic: QuestionTopic
    question: str  # as query text, in its normal form
    sentence: str  # in words
    entry: int | None = None  # of its last answer on the record that counts
    verdict: Verdict | None = None  # of that answer


@final
class WordedQuestion(Struct, frozen=True):
    """A question of a program and its log, whatever the moment."""

    query: Query
    text: str  # in its normal form
    sentence: str


def suggested_questions(
    case: Case,
    *,
    step: int | str | None = None,
    log: str | None = None,
    at: Keyframe | None = None,
    explained: Mapping[int, Mapping[str, Any]] = {},
    read: dict[str, WordedQuestion | None] | None = None,
) -> tuple[SuggestedQuestion, ...]:
    """What to ask at a moment. `at` is that moment, if more is known of it than the log says.

    `explained` has explanations of answers as JSON, by entry, that are not on the record. Questions in `read` are read
    already, for the same log; others are added to them.
    """
    here, project = case.moment(step, log), case.project_at(step, log)
    known = {} if read is None else read
    found = _Suggesting(case, project, here, at or project.logged, {**_recorded(case), **explained}, known).all()
    return tuple(found)


@final
class _Suggesting(Struct, frozen=True):
    """The suggestions for one moment of one case."""

    case: Case
    project: Project
    here: Moment
    keyframe: Keyframe
    explained: Mapping[int, Mapping[str, Any]]
    known: dict[str, WordedQuestion | None]  # by text; None: it cannot be asked

    def all(self) -> Iterator[SuggestedQuestion]:
        answered = validity.in_force(self.case.entries, EntryKind.ANSWERED)
        rested = {fact.number for fact in self.case.facts}  # a yes or no that is none rests on a retracted acceptance
        counting = (entry for entry in answered if entry.fact is None or entry.number in rested)
        known = {entry.question: entry for entry in counting if self.here.is_of(entry)}  # the last one of each
        seen: set[str] = set()
        for topic, text, told in self._told():
            if text not in seen:
                seen.add(text)
                entry = known.get(text)
                yield SuggestedQuestion(topic, text, told, *((entry.number, entry.verdict) if entry else ()))

    def _told(self) -> Iterator[tuple[QuestionTopic, str, str]]:
        """Questions with their words, at most so many of each topic; one that cannot be asked here is none."""
        listed = self._listed()
        taken = {text for _, text, _ in listed}
        by_topic: dict[QuestionTopic, list[Query]] = {topic: [] for topic in QuestionTopic}
        facts = {name for query in self._questions if query.kind is QueryKind.DID for name in query.behavior.names}
        for topic, query in (*self._about_what_mattered(), *self._candidates.questions()):
            if query.kind is not QueryKind.DID or not query.behavior.names <= facts:
                by_topic[topic].append(query)
        for topic, most in _MOST.items():
            if topic is QuestionTopic.LISTED:
                yield from listed
            told = (self._worded(topic, to_text(query)) for query in by_topic[topic])
            new = (each for each in told if each is not None and each[1] not in taken)
            yield from islice(new, most)

    def _listed(self) -> list[tuple[QuestionTopic, str, str]]:
        manifest = self.project.manifest
        told = [self._worded(QuestionTopic.LISTED, text) for text in (manifest.questions if manifest else ())]
        return [each for each in told if each is not None]

    def _worded(self, topic: QuestionTopic, text: str) -> tuple[QuestionTopic, str, str] | None:
        read = self._read(text)
        return None if read is None else (topic, read.text, read.sentence)

    def _read(self, text: str) -> WordedQuestion | None:
        if text not in self.known:
            self.known[text] = None
            with suppress(SoidError):  # a question that this moment or program does not allow is not suggested
                written = self.project.written(text)
                query = self.project.checked(written).query
                words = sentence(query, self.project.program.interface, log=self.project.trace)
                self.known[text] = WordedQuestion(query, self.project.normal_text(written), words)
        return self.known[text]

    @property
    def _candidates(self) -> QuestionCandidates:
        decided = {**self.keyframe.decisions, **decisions_that_follow(self.keyframe)}
        scene = self.case.scene
        absent, own = (frozenset[str](), frozenset[str]()) if scene is None else _roles(scene, self.keyframe)
        named = [path for path in self._named() if path not in own]
        inputs = [each.path for each in self.project.program.interface.inputs if each.path not in own]
        return QuestionCandidates(self.keyframe, decided, named=(*named, *inputs), absent=absent)

    @property
    def _questions(self) -> Iterator[Query]:
        """The listed questions that can be asked here."""
        for text in self.project.manifest.questions if self.project.manifest else ():
            if (read := self._read(text)) is not None:
                yield read.query

    def _named(self) -> Iterator[str]:
        """What the listed questions name, in their order."""
        for query in self._questions:
            yield from sorted(query.behavior.names)
            for each in query.suppositions if query.lives is None else ():
                yield from (variable.path for variable in mentioned(self.project.program.interface, each))

    def _about_what_mattered(self) -> Iterator[Candidate]:
        """Each variable that mattered to an answer at this moment, alone."""
        for number, explanation in reversed(list(self.explained.items())):
            entry = validity.entry_at(self.case.entries, number)
            if not self.here.is_of(entry) or entry.question is None:
                continue
            query = self.project.checked(entry.question).query
            sets = (explanation.get("mattered") or {}).get("sets", [])
            paths = dict.fromkeys(path for each in sets for path in each["variables"])
            for path in paths if query.lives is None else ():
                if path in self.project.program.interface:  # not an input of a later step
                    yield from ((QuestionTopic.MATTERED, each) for each in self._candidates.about(query, path))


def _recorded(case: Case) -> dict[int, Mapping[str, Any]]:
    """The explanations on the record, by the answers' entries."""
    wanted = ((request_of(entry.payload["wanted"]), entry) for entry in case.studies)
    return {each.entry: entry.payload["result"] for each, entry in wanted if isinstance(each, ExplanationRequest)}


def _roles(scene: Scene, keyframe: Keyframe) -> tuple[frozenset[str], frozenset[str]]:
    """The variables of actors that are not there, and those of the one that is investigated."""
    drawn = drawn_actors(scene, keyframe.inputs, frozenset(keyframe.assumed))
    absent = {v.path for each in drawn if not each.present for v in each.actor.variables}
    own = [each.actor for each in drawn if each.actor.part is Part.INVESTIGATED]
    there = {each.present.path for each in own if each.present is not None}  # without it there is no case
    return frozenset(absent | there), frozenset(v.path for each in own for v in each.variables)
