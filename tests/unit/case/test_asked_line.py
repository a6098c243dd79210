"""What a line of a script asks besides a question, asked by itself: how it is read, and what is told of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from soid.budget import Cancellation
from soid.case.asked_line import asked_why, causes_text, line_sentence, line_text, read_line, study_wanted, why_text
from soid.case.case import Case
from soid.case.project import Project
from soid.case.record.study_request import CausesRequest, MapRequest
from soid.errors import LogMismatch, QueryError
from soid.examples import folder
from soid.oracle.answer import Verdict
from soid.query.language.query_parser import parse
from soid.query.language.script.plan import PutStudy


@pytest.fixture(scope="module")
def oven() -> Project:
    return Project.open(folder("microwave"))


@pytest.mark.parametrize(
    ("text", "normal", "sentence"),
    [
        (
            "action==CLOSE because closed == false and heat is anything",
            "action == CLOSE because closed == false and heat is anything",
            "Did it close the door because the door switch was false, whatever the heater had been?",
        ),
        (
            "causes  of action == CLOSE over (closed is anything)",
            "causes of action == CLOSE over closed is anything",
            "Did it close the door, and what caused it, among the door switch?",
        ),
        (
            "map closed is anything by action",
            "map closed is anything by action",
            "What happens where, along the door switch?",
        ),
    ],
)
def test_a_line_has_a_normal_form_and_words(oven: Project, text: str, normal: str, sentence: str) -> None:
    line = read_line(text, oven)
    assert line is not None
    assert line_text(line) == normal and line_sentence(line, oven) == sentence
    again = read_line(normal, oven)
    assert again is not None and line_text(again) == normal


@pytest.mark.parametrize(
    "text", ["did action == CLOSE", "would x because y", "when heat because error:", "", "mapped == 1", "conclude"]
)
def test_anything_else_is_read_as_a_question(oven: Project, text: str) -> None:
    assert read_line(text, oven) is None


@pytest.mark.parametrize("text", ["causes of action", "heat because nobody"])
def test_what_is_wrong_is_told_as_of_a_script(oven: Project, text: str) -> None:
    with pytest.raises(QueryError):
        read_line(text, oven) or pytest.fail("it is no line")


def test_the_lines_of_what_is_composed(oven: Project) -> None:
    query = parse("would action == CLOSE within 2 steps held if closed == false and heat is anything")
    rest = "action == CLOSE within 2 steps held"
    assert why_text(query) == f"{rest} because closed == false and heat is anything"
    assert causes_text(query) == f"causes of {rest} over closed == false and heat is anything"


def test_a_study_is_the_one_that_a_record_keeps(oven: Project) -> None:
    causes, drawn = (
        read_line(text, oven) for text in ("causes of action == CLOSE over closed is anything", "map heat is anything")
    )
    assert isinstance(causes, PutStudy) and isinstance(drawn, PutStudy)
    assert isinstance(wanted := study_wanted(causes, oven), CausesRequest)
    assert wanted.question == "would action == CLOSE if closed is anything"
    assert isinstance(study_wanted(drawn, oven), MapRequest)


def test_where_log_and_program_differ_the_error_says_so(tmp_path: Path) -> None:
    project = tmp_path / "oven"
    shutil.copytree(folder("microwave"), project, ignore=shutil.ignore_patterns("*.py", "__pycache__", "c"))
    log = project / "log.jsonl"
    log.write_text(log.read_text().replace("CLOSE", "OPEN"))
    with pytest.raises(LogMismatch):
        Project.open(project).map("heat is anything")
    with Case.create(tmp_path / "oven.case", project) as case:
        text = "action == CLOSE because closed == false"
        found = asked_why(case, text, case.moment(), Cancellation(), lambda _: None)
    assert found.verdict is Verdict.ERROR and found.error is not None
    assert found.error.code == "log_mismatch" and "the log says the operator's action is OPEN" in found.reason
