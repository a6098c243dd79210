"""What is read of the examples has no operator, no index and no path: facts, headlines, reports, stories, pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from soid.case.case import Case
from soid.case.report.document import report
from soid.case.suggested_questions import suggested_questions
from soid.case.told_story import told_story
from soid.examples import NAMES, folder
from soid.oracle.inquiry import Settings
from tests.unit.case.pages import Element, read
from tests.unit.explanation.test_explanation_words_without_code import of_answer
from tests.unit.query.words.test_sentences_without_code import CODE

#: a project of each example
PROJECTS = [{"crash": "crash/together", "pedestrian": "pedestrian/manager"}.get(name, name) for name in NAMES]
ASKED = 3
#: parts of a report that quote the questions' text, files and formulas
QUOTED = {"code", "style", "pre"}
FORMAL = {"reading", "formal", "record", "holdings"}
#: what answers rely on in the words of manifests and files
QUOTING = ("the columns of the log are", "the application decides by", "the application makes", "of the model's file")


def sentences(part: Element) -> Iterator[str]:
    for child in part.content:
        if isinstance(child, str):
            yield child
        elif child.name not in QUOTED and child.attributes.get("id") not in FORMAL:
            yield from sentences(child)


@pytest.mark.parametrize("name", PROJECTS)
def test_what_is_read_of_an_example_has_no_code(name: str, tmp_path: Path) -> None:
    with Case.create(
        tmp_path / "a.case", folder(name.partition("/")[0]) / name.partition("/")[2], settings=Settings(replay="off")
    ) as case:
        manifest = case.first.manifest
        assert manifest is not None
        short = [text for text in manifest.questions if "steps" not in text and "for every" not in text]
        asked = [case.ask(text) for text in short[:ASKED]]
        told = [case.title]
        for each in asked:
            told += of_answer(each.answer, case.first.keyframe)
        story = told_story(case)
        told += [story.happened, story.moment, *story.harm]
        told += [each.sentence for each in suggested_questions(case)]
        told += [fact.statement for fact in case.numbered_facts]
        told += sentences(read(report(case)).all("main")[0])
    assert len(told) > 50
    assert [text for text in told if CODE.search(text) and not text.startswith(QUOTING)] == []


def test_what_a_statement_rounds_is_one_hover_away(tmp_path: Path) -> None:
    with Case.create(tmp_path / "a.case", folder("proper_response"), settings=Settings(replay="off")) as case:
        case.ask("might not guard.active' if road.distance is anything")
        (said,) = [each for each in read(report(case)).of_class("statement") if "about 42.97 m" in each.text]
    assert said.attributes["title"] == "the distance to the car in front: 60.0 m instead of 42.969997 m"
