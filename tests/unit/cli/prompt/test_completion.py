"""What the Tab key offers at the prompt."""

from __future__ import annotations

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from soid.cli.prompt.completion import Knowledge, PromptCompleter
from soid.query.language.script.definitions import Definitions
from soid.scenario.expression import Name
from tests.unit.query.crossing import CROSSING


def completed(text: str) -> list[str]:
    names = Definitions(CROSSING).let("other", Name("world.agents[1]")).let("wait", Name("waited"))
    knowledge = Knowledge(CROSSING, ("facts", "undo"), lambda: names, lambda: ["approach"])
    found = PromptCompleter(knowledge).get_completions(Document(text), CompleteEvent())
    return [text[: len(text) + each.start_position] + each.text for each in found]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("wo", ["would"]),
        ("un", ["undo"]),
        ("f", ["family", "facts"]),
        ("at a", ["at approach"]),
        ("at ", ["at step", "at approach"]),
        ("did mo", ["did move"]),
        ("did ot", ["did other", "did other.x", "did other.signal"]),
        ("did other.", ["did other.x", "did other.signal"]),
        ("did world.agents[2].s", ["did world.agents[2].signal"]),
        ("did right", ["did right_of_way()"]),
        ("did *sp", ["did *speed"]),
        ("would move if other.signal == ", None),
        ("would move if other.signal == S", ["would move if other.signal == STRAIGHT"]),
        ("would move if world.agents[0].signal in {LEFT, R", ["would move if world.agents[0].signal in {LEFT, RIGHT"]),
        ("would move if other.signal is not L", ["would move if other.signal is not LEFT"]),
        ("did move == t", ["did move == true", "did move == throughout", "did move == to step"]),
        ("would move if wai", ["would move if wait", "would move if waited"]),
        ("would move if nobody == ", None),
        ("did mi", ["did might", "did min("]),
        ("did float6", ["did float64("]),
    ],
)
def test_completions(typed: str, expected: list[str] | None) -> None:
    found = completed(typed)
    if expected is not None:
        assert found == expected
    elif "signal" in typed:
        assert [text.rpartition(" ")[2] for text in found[:3]] == ["STRAIGHT", "LEFT", "RIGHT"]
    else:
        assert found and not any("STRAIGHT" in text for text in found)
