"""The same questions put to several programs, and where two of them part."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.case.facts import fact_of
from soid.case.project import Project
from soid.errors import QueryError
from soid.examples import folder
from tests.several_programs import several

OLD = "int decide(int gap, int wet) { return gap < 20; }\n"
REPAIRED = "int decide(int gap, int wet) { return gap < 20 || (gap == 30 && wet == 1); }\n"
WIDER = "int decide(int gap, int wet) { return gap < 25; }\n"
LOG = '{"gap": 30, "wet": 1, "return": 0}\n'
DOMAINS = "gap = { domain = [0, 100] }\nwet = { domain = [0, 1] }\n"
ALL = "gap is anything and wet is anything"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return several(tmp_path, {"old": OLD, "repaired": REPAIRED, "wider": WIDER}, LOG, variables=DOMAINS)


def test_a_question_is_put_to_each_program(project: Project) -> None:
    made = project.compare(["did return == 1", "might return != fact(return) if gap is anything"])
    verdicts = [{name: one.verdict.value for name, one in each.answers.items()} for each in made.questions]
    assert verdicts == [
        {"old": "no", "repaired": "yes", "wider": "no"},
        {"old": "yes", "repaired": "yes", "wider": "yes"},
    ]
    assert made.questions[0].text == "did return == 1"
    assert made.questions[0].answers["wider"].text == "did wider.return == 1"


def test_fails_is_asked_of_each_program(tmp_path: Path) -> None:
    """The failure of the first one is that of the whole path, and says nothing of the others."""
    broken = "int decide(int gap, int wet) { return 10 / gap; }\n"
    project = several(tmp_path, {"old": OLD, "broken": broken}, LOG, variables=DOMAINS)
    made = project.compare(["might fails if gap is anything", "would not fails and return >= 0 if gap is anything"])
    verdicts = [[one.verdict.value for one in each.answers.values()] for each in made.questions]
    assert verdicts == [["no", "yes"], ["yes", "no"]]
    with pytest.raises(QueryError, match="whether broken comes to a decision") as error:
        project.compare(["would decides if gap is anything"])
    assert "`broken.fails`" in error.value.remedy


def test_a_question_about_pairs_is_put_to_each_program(project: Project) -> None:
    made = project.compare(["would return be the same if wet differs", "would return not rise if gap rises"])
    verdicts = [[one.verdict.value for one in each.answers.values()] for each in made.questions]
    assert verdicts == [["yes", "no", "yes"], ["yes", "no", "yes"]]
    assert made.questions[0].answers["wider"].text == "would wider.return be the same if wet differs, for every case"


def test_some_of_the_programs(project: Project) -> None:
    made = project.compare(["did return == 1"], programs=["wider"])
    assert list(made.questions[0].answers) == ["wider"]
    with pytest.raises(QueryError, match="no program wilder") as error:
        project.compare(["did return == 1"], programs=["wilder"])
    assert "wider" in error.value.remedy


def test_a_repair_that_changes_the_accident_and_nothing_else(project: Project) -> None:
    made = project.differ("old", "repaired", ALL)
    assert (made.in_fact.verdict.value, made.elsewhere.verdict.value) == ("no", "yes")
    assert made.sentences == (
        "At the moment itself old and repaired decide differently.",
        "In every other scenario that was asked about they decide alike: proved.",
    )
    assert made.headline == made.document.headline == (
        "repaired does otherwise than old in the scenario of the fact, and nowhere else among the scenarios that were "
        "asked about."
    )  # fmt: skip


def test_a_change_that_matters_elsewhere(project: Project) -> None:
    made = project.differ("old", "wider", "gap is anything")
    assert (made.in_fact.verdict.value, made.elsewhere.verdict.value) == ("yes", "no")
    assert made.elsewhere.witness is not None and made.elsewhere.witness.inputs["gap"] == 24  # the nearest to 30
    assert made.headline.startswith("wider does as old in the scenario of the fact, and otherwise in some of")
    assert made.map is not None
    assert {region.label.text: region.scenarios for region in made.map.regions} == {
        "old.return == wider.return": 95, "not: old.return == wider.return": 5,  # the fact is left out
    }  # fmt: skip
    assert made.drawn is not None
    assert [region.label.words for region in made.drawn.regions] == ["they decide alike", "they do not decide alike"]


def test_there_is_no_headline_where_nothing_follows(project: Project) -> None:
    made = project.differ("old", "repaired", "gap == 30 and gap == 31")
    assert made.elsewhere.verdict.value == "vacuous" and made.headline == ""


def test_numbers_that_are_none_are_alike(tmp_path: Path) -> None:
    source = "double decide(double x) { return x / x; }\n"
    project = several(tmp_path, {"one": source, "other": source}, '{"x": 1.0, "return": 1.0}\n')
    assert project.differ("one", "other", "x in {0.0, 2.0}").elsewhere.verdict.value == "yes"


def test_one_program_cannot_be_compared() -> None:
    alone = Project.open(folder("microwave"))
    with pytest.raises(QueryError, match="nothing to compare"):
        alone.compare(["did action == CANCEL"])


def test_programs_without_a_common_decision(tmp_path: Path) -> None:
    other = "void decide(int gap, int wet, int *brake) { *brake = gap < 20; }\n"
    project = several(tmp_path, {"old": OLD, "other": other}, LOG)
    with pytest.raises(QueryError, match="no decision of the same name"):
        project.differ("old", "other", ALL)


def test_the_papers_three_drivers_are_one_project() -> None:
    three = Project.open(folder("crash") / "together")
    assert three.manifest is not None
    made = three.compare(three.manifest.compared)
    table = [[one.verdict.value for one in each.answers.values()] for each in made.questions]
    assert table == [["yes", "yes", "yes"], ["no", "yes", "yes"], ["yes", "no", "no"], ["no", "no", "yes"]]


def test_a_fact_names_the_program_that_it_is_about(project: Project) -> None:
    asked = "would {} if gap is anything"
    stated = [
        fact_of(project.ask(asked.format(behavior)), project.keyframe)
        for behavior in ("wider.return <= 1", "not wider.fails", "not fails")
    ]
    told = [each["statement"].partition(",")[0] for each in stated if each is not None]
    assert told == [
        "wider would always return at most 1", "wider would never fail", "old would never fail"
    ]  # fmt: skip
