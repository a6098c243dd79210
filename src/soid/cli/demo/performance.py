"""An example's story, performed: every question was put anew, act by act."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, final

from msgspec import Struct

from soid.examples import folder
from soid.examples.story import Act, Story
from soid.oracle.answer import Answer


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
