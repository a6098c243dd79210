"""What if it had acted otherwise: the program decides, and the world is given what is supposed."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.case.facts import fact_of
from soid.case.project import Project
from soid.errors import QueryError
from soid.oracle.reason import ReasonCode
from soid.query.language.query_parser import parse
from soid.query.language.query_printer import to_text
from soid.query.python import at_step, from_step, might, within, would
from soid.query.words import sentence
from tests.gap_world import DRIVER, MANIFEST, gap_project
from tests.unit.engine.world.two_cars import two_cars


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return gap_project(tmp_path_factory.mktemp("acts"))


def test_had_it_braked_in_time_they_would_not_have_collided(project: Project) -> None:
    """At 2 m a step, with 30 m between them, four steps of braking stop the car."""
    found = project.ask("would not collision throughout 20 steps if return == 1 from step 9 to step 12")
    assert found.verdict.value == "yes" and found.witness is not None
    assert "in the compiled world" in found.witness.replayed
    assert "acted" in {each.id for each in found.relies_on}
    assert project.ask("would not collision throughout 20 steps if return == 1 at step 9").verdict.value == "no"


def test_the_program_decides_what_it_decides_and_the_table_shows_both(project: Project) -> None:
    found = project.ask("would return == 0 throughout 5 steps if return == 1 from step 1 to step 3")
    assert found.verdict.value == "yes" and found.witness is not None
    assert "return is what the program decides" in found.remarks[0]
    rows = [(number, step["return"].high, done) for number, step, done in found.witness.step_rows(0)]
    assert [each for each in rows if each[2]] == [(str(step), 0, {"return": 1}) for step in (1, 2, 3)]
    assert [int(step["v.speed'"] != 0x40000000) for step in found.witness.earlier] == [0, 1, 1, 1]


def test_what_was_done_in_fact_is_the_fact(project: Project) -> None:
    only = project.ask("might collision within 20 steps if return == 0 at step 3")
    assert (only.verdict.value, only.why.code) == ("vacuous", ReasonCode.ONLY_THE_FACT)
    assert project.ask("might return == 1 within 2 steps if return is anything at step 0").verdict.value == "no"


def test_the_first_step_and_a_single_one(project: Project) -> None:
    assert project.ask("would v.speed == 1.5 after 2 steps if return == 1 at step 0").verdict.value == "yes"
    assert project.ask("would v.speed == 2.0 after 2 steps if return == 1 at step 1").verdict.value == "yes"
    found = project.ask("might *impact > 0.0 if return == 0 at step 0 and v.gap == 1.0")
    assert found.verdict.value == "yes" and "world" in {each.id for each in found.relies_on}
    statement = fact_of(found, project.keyframe)
    assert statement is not None and "it acted with what it returns being 0 at step 0, whatever it decided" in str(
        statement
    )


def test_a_program_that_remembers_what_it_decided_does_not_know_what_was_done(tmp_path: Path) -> None:
    """It brakes once it has braked; what is done in its place it does not remember."""
    driver = DRIVER.replace("int decide", "static int braked;\nint decide").replace(
        "return v->gap < 20.0f;", "if (v->gap < 20.0f) braked = 1;\n    return braked;"
    )
    manifest = MANIFEST.replace("keyframe = 0", "keyframe = 0\nfrom_start = true")
    remembering = gap_project(tmp_path, driver=driver, manifest=manifest)
    near = "v.signal == STRAIGHT and v.speed == 3.0"
    asked = f"would return == 1 within 3 steps if return == 1 at step 0 and {near}"
    assert remembering.ask(asked).verdict.value == "no"


def test_two_programs_each_by_its_name(tmp_path: Path) -> None:
    project = two_cars(tmp_path)
    assert project.ask("might meeting within 4 steps if ahead.return == 0 at step 1").verdict.value == "no"
    assert project.ask("would meeting within 4 steps if ahead.return == 3 at step 1").verdict.value == "yes"
    both = "ahead.return == 3 at step 0 and behind.return == -3 at step 0"
    assert project.ask(f"would meeting after 2 steps if {both}").verdict.value == "yes"
    told = sentence(
        parse("might meeting within 4 steps if ahead.return == 0 at step 1", project.program.interface),
        project.program.interface,
    )
    assert "had ahead acted with how far the first goes being 0 at step 1, whatever it decided" in told


def test_a_decision_that_was_not_logged_may_have_been_what_is_supposed(tmp_path: Path) -> None:
    """The second car goes -1 at first, which the log does not say."""
    project = two_cars(tmp_path)
    found = project.ask("might meeting within 8 steps if behind.return == -1 at step 0")
    assert (found.verdict.value, found.why.code) == ("unknown", ReasonCode.ASSUMED_OPEN)
    assert project.ask("would meeting within 8 steps if behind.return == -1 at step 0").verdict.value == "yes"


@pytest.mark.parametrize(
    "text",
    [
        "might collision within 20 steps if return == 1 at step 3",
        "might collision within 20 steps closed loop if return is anything from step 3 to step 5 and v.speed == 3.0",
        "would collision within 20 steps if (return == 0 or v.signal == LEFT) from step 3",
    ],
)
def test_text_is_read_back(project: Project, text: str) -> None:
    query = parse(text, project.program.interface)
    assert to_text(query) == text and parse(to_text(query), project.program.interface) == query


def test_python(project: Project) -> None:
    v = project.variables
    found = project.ask(would(~v.collision, steps=within(20)).given(from_step(9, v["return"] == 1, to=12)))
    assert found.verdict.value == "yes"
    asked = might(v.collision, steps=within(20)).given(at_step(9, v["return"].anything()))
    assert project.ask(asked).verdict.value == "yes"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("might collision within 9 steps if return == 1", "in which of them is something else done"),
        ("might collision within 9 steps as logged if return == 1 at step 3", "nothing comes of what is done"),
        ("might collision within 9 steps if return == 1 at step 9", "is not one that the question is about"),
        ("might collision within 9 steps if return == 1 until return == 1", "not until something"),
        ("might collision within 9 steps if collision at step 1", "collision is no input"),
    ],
)
def test_what_cannot_be_supposed_of_a_decision(project: Project, text: str, cause: str) -> None:
    with pytest.raises(QueryError, match=cause):
        project.ask(text)


def test_without_a_world_nothing_comes_of_what_is_done(tmp_path: Path) -> None:
    gap_project(tmp_path)
    plain = MANIFEST[: MANIFEST.index("[world]")] + MANIFEST[MANIFEST.index("[trace]") :]
    (tmp_path / "soid.toml").write_text(plain)
    with pytest.raises(QueryError, match=r"return is no input.*") as error:
        Project.open(tmp_path).ask("might return == 1 within 3 steps if return == 1 at step 1")
    assert "[world] in the manifest" in error.value.remedy
