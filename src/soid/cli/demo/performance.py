"""An example's story, performed: every question is put anew, act by act, and an audience is told what happens."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, final

from msgspec import Struct

from soid.case.facts import fact_of
from soid.case.project import Project
from soid.cli.commands.ask_command import put
from soid.cli.terminal.progress import watched
from soid.examples import folder
from soid.examples.story import Act, Story
from soid.oracle.answer import Answer


def story_of(name: str) -> Story:
    """The story of an example."""
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


class Audience:
    """Is told what happens in a performance. This one ignores it, for scripts that want the result only."""

    def opens(self, story: Story) -> None: ...

    def act_begins(self, act: Act, project: Project) -> None: ...

    def question(self, number: int, total: int, aside: str, question: str) -> None: ...

    def answered(self, project: Project, answer: Answer) -> None: ...

    def act_ends(self, played: Played) -> None: ...

    def ends(self, performance: Performance) -> None: ...


def perform(name: str, audience: Audience) -> Performance:
    """Play an example, and tell the audience."""
    story = story_of(name)
    audience.opens(story)
    acts: list[Played] = []
    total = sum(len(act.asides) for act in story.acts)
    for act in story.acts:
        before = sum(len(played.asked) for played in acts)
        acts.append(_play(name, act, audience, before, total))
    performance = Performance(story, tuple(acts))
    audience.ends(performance)
    return performance


def _play(name: str, act: Act, audience: Audience, before: int, total: int) -> Played:
    case = watched(lambda _, __: Project.open(folder(name) / act.project), about=f"{act.title}: ")
    assert case.manifest is not None
    asked: dict[int, PlayedQuestion] = {}
    try:
        audience.act_begins(act, case)
        for place, (number, aside) in enumerate(act.asides.items(), start=before + 1):
            question = case.manifest.questions[number - 1]
            audience.question(place, total, aside, question)
            answer = put(case, question, about=f"question {place} of {total}: ")
            fact = fact_of(answer, case.keyframe)
            asked[number] = PlayedQuestion(place, answer, fact["statement"] if fact is not None else "")
            audience.answered(case, answer)
    finally:
        case.solver.close()
    played = Played(act, case.program.name, case.keyframe.step, asked)
    audience.act_ends(played)
    return played


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
