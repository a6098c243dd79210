"""A Story: what is told around an example's questions when it is played; and a Performance of it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, final

from msgspec import Struct

from soid.examples import folder
from soid.oracle.answer import Answer


@final
class Act(Struct, frozen=True):
    """One project on the stand: some of the questions that its manifest lists, in the order told here."""

    title: str
    asides: Mapping[int, str]  # number of a question in the project, from 1: why it is asked
    conclusions: Mapping[str, Mapping[int, str]]  # a sentence: the verdicts of questions, without which it is not said
    project: str = ""  # a folder or a manifest in the example's folder
    opening: str = ""  # paragraphs, with a blank line between two
    log: bool = True  # whether the log is shown, beside the scene if there is one


@final
class Pattern(Struct, frozen=True):
    """Answers side by side, and what each pattern of them supports."""

    questions: tuple[str, ...] = ()  # in words, in the order of each row's answers
    rows: Mapping[str, tuple[tuple[int, int], ...]] = {}  # a version of the program: number of an act, of its question
    supports: Mapping[str, str] = {}  # by the verdicts of a row: "yes, no"


@final
class Story(Struct, frozen=True):
    """Told before, between and after the questions."""

    title: str
    summary: str  # what was put on the stand, in a line
    opening: str  # paragraphs, with a blank line between two
    acts: tuple[Act, ...]
    closing: str  # said if every conclusion is carried
    pattern: Pattern = Pattern()


def story_of(name: str) -> Story:
    folder(name)  # raises an error that lists the examples, where there is none of this name
    story: Story = importlib.import_module(f"soid.examples.{name}.story").STORY
    return story


@final
class PlayedQuestion(Struct, frozen=True):
    """A question of the story, and its answer."""

    number: int  # in the performance, from 1
    answer: Answer
    statement: str  # what it adds to FACTS; empty where it adds nothing


@final
class Played(Struct, frozen=True):
    """An act that has been played."""

    act: Act
    program: str
    step: int
    asked: Mapping[int, PlayedQuestion]  # by the question's number in the project

    @property
    def carried(self) -> dict[str, bool]:
        """Which of the act's conclusions the answers carry."""
        verdicts = {(number, each.answer.verdict.value) for number, each in self.asked.items()}
        return {text: needs.items() <= verdicts for text, needs in self.act.conclusions.items()}


@final
class Performance(Struct, frozen=True):
    """A story with all its acts played."""

    story: Story
    acts: tuple[Played, ...]

    def verdicts(self, row: str) -> list[str]:
        answers = self.story.pattern.rows[row]
        return [self.acts[act - 1].asked[number].answer.verdict.value for act, number in answers]

    def supported(self, row: str) -> str | None:
        """What the pattern of a row's answers supports; None: the story does not know this pattern."""
        return self.story.pattern.supports.get(", ".join(self.verdicts(row)))

    @property
    def is_carried(self) -> bool:
        """Whether the answers are those that the story is about."""
        return all(all(played.carried.values()) for played in self.acts) and all(
            self.supported(row) is not None for row in self.story.pattern.rows
        )


def performance_json(name: str, performance: Performance) -> dict[str, Any]:
    """The JSON of a performance, as docs/json.md describes it."""
    return {
        "demo": name,
        "title": performance.story.title,
        "acts": [_act(name, played) for played in performance.acts],
        "patterns": [
            {"name": row, "verdicts": performance.verdicts(row), "supports": performance.supported(row)}
            for row in performance.story.pattern.rows
        ],
        "carried": performance.is_carried,
    }


def _act(name: str, played: Played) -> dict[str, Any]:
    return {
        "title": played.act.title,
        "project": str(folder(name) / played.act.project),
        "program": played.program,
        "step": played.step,
        "answers": [each.answer.document for each in played.asked.values()],
        "facts": [each.statement for each in played.asked.values() if each.statement],
        "conclusions": [{"text": text, "carried": carried} for text, carried in played.carried.items()],
    }
