"""The overdraft example: a program that does not look at the sex, and at something that stands in for it."""

from __future__ import annotations

import pytest

from soid import Project, Settings
from soid.cli import main
from soid.examples import folder
from soid.examples.overdraft import logs

FOLDER = folder("overdraft")


@pytest.fixture(scope="module")
def project() -> Project:
    """With more time than the default: what is proved here takes as long as the machine is busy."""
    return Project.open(FOLDER, settings=Settings(seconds=600.0))


def test_the_log_is_what_the_first_version_writes() -> None:
    assert (FOLDER / "log.jsonl").read_text() == logs.record()


def test_the_letters_are_those_that_the_story_speaks_of(project: Project) -> None:
    interface = project.program.interface
    sex, gap = interface.variable("applicant.sex").path, interface.variable("applicant.months_gap").path
    rows = [(logs.SEXES[step.inputs[sex]], step.inputs[gap] > 0) for step in project.trace]
    counted = {
        each: (rows.count((each, True)), rows.count((each, True)) + rows.count((each, False))) for each, _ in rows
    }
    assert (counted["FEMALE"], counted["MALE"]) == ((7, 10), (1, 11))
    limits = [step.decisions["v1.letter.limit"] for step in project.trace if step.time in (logs.BEFORE, logs.AGAIN)]
    assert limits == [2000, 1750]


def test_each_version_is_asked_the_same(project: Project) -> None:
    assert project.manifest is not None
    made = project.compare(project.manifest.compared)
    table = [[one.verdict.value for one in each.answers.values()] for each in made.questions]
    assert table == [["yes", "yes"], ["no", "yes"], ["no", "yes"]]


def test_without_a_gap_a_raise_never_hurt(project: Project) -> None:
    without = "for every applicant with applicant.months_gap == 0"
    assert project.ask(f"would v1.letter.limit not fall if applicant.income rises, {without}").verdict.value == "yes"


def test_where_the_versions_part(project: Project) -> None:
    free = " and ".join(
        f"{each.path} is anything" for each in project.program.interface.inputs if "gap" not in each.path
    )
    alike = project.differ("v1", "v2", f"applicant.months_gap == 0 and {free}")
    assert (alike.in_fact.verdict.value, alike.elsewhere.verdict.value) == ("no", "yes")
    apart = project.differ("v1", "v2", "applicant.months_gap is anything")
    assert apart.elsewhere.verdict.value == "no" and apart.map is not None
    shares = {region.label.text: region.scenarios for region in apart.map.regions}
    assert min(shares.values()) == 1  # no gap: of the rest each month counts


@pytest.mark.soak  # the demo and the comparison ask nearly all of them
def test_its_questions_are_answered_as_the_story_tells(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--project", str(FOLDER), "--quiet", "--seconds", "600"]) == 0
    assert capsys.readouterr().out.split() == ["yes"] * 7
