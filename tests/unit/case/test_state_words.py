"""What an abstraction shows is in words: states, what ways inside assume, and what values hang on."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from soid.case.abstraction import abstraction_of
from soid.case.abstraction_picture import svg
from soid.case.abstraction_words import in_words
from soid.case.project import Project
from soid.examples import folder

SIGNAL = "world.agents[1].signal"
#: operators, paths and indices: words of programmers; a number has digits around its point
CODE = re.compile(r"==|!=|<|>|[a-z_\]]\.[a-z_]|\[\d|\w'(?!s\b)")


def told(name: str, *questions: str) -> list[str]:
    """All that the picture and the table of states say."""
    example, _, part = name.partition("/")
    project = Project.open(folder(example) / part)
    found = abstraction_of([(project, each) for each in questions], inside=True)
    drawn = ElementTree.fromstring(svg(found, project.program.interface, project.program.name))
    texts = [each.text or "" for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    words = in_words(found, project.program.interface, project.program.name)
    conditions = [row[4] for table in words.inside for row in table.rows]
    return [*texts, *(cell for row in words.states for cell in row), *conditions]


@pytest.mark.parametrize(
    ("name", "questions"),
    [
        ("crash/standard", ("did move", f"might not move if {SIGNAL} is anything")),
        ("microwave", ("did action == CLOSE", "would action == CLOSE if heat is anything and closed == true")),
        ("proper_response", ("would limits.brake if 0 <= road.distance <= 60 and 0.2 <= guard.elapsed <= 10",)),
        ("drone", ("might return.mode == MODE_LAND if s.gps.sats is anything and 1 <= s.gps.hdop <= 3",)),
    ],
)
def test_no_state_is_told_as_code(name: str, questions: tuple[str, ...]) -> None:
    assert [each for each in told(name, *questions) if CODE.search(each)] == []


def test_labels_units_and_decisions_are_as_in_answers() -> None:
    found = told("crash/standard", "did move", f"might not move if {SIGNAL} is anything")
    assert {"it decides to drive on", "it decides to stay", "whatever the other car's signal had been"} <= {*found}
    assert "the wait at the line after the call is 1 call" in found
    assert "not (the other car's signal is RIGHT)" in found
    assert "theirs depends on the other car's signal" in " ".join(found)
