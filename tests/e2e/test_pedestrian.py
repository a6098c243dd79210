"""The pedestrian example: two moments of two versions of a program, and what the answers support."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from soid.case.project import Project
from soid.engine.manifest_reader import load
from soid.engine.world.world_source import WorldSource
from soid.examples import copy, folder
from soid.examples.pedestrian import logs
from soid.examples.pedestrian.story import STORY
from soid.oracle.answer import Answer
from soid.program.manifest import Manifest
from soid.witness.witness import Shows

HEEDS, SELF_RELIANT = folder("pedestrian"), folder("pedestrian") / "self_reliant"
MOMENTS = ("soid.toml", "sighting.toml")
VERDICTS = {HEEDS: ["yes", "yes", "yes", "no"], SELF_RELIANT: ["no", "no", "yes", "no"]}
SHOWN = {
    HEEDS: [Shows.FACT, Shows.MEMBER, Shows.FACT, Shows.COUNTEREXAMPLE],
    SELF_RELIANT: [Shows.FACT, Shows.COUNTEREXAMPLE, Shows.FACT, Shows.COUNTEREXAMPLE],
}
VERSIONS = pytest.mark.parametrize("version", [HEEDS, SELF_RELIANT], ids=["heeds", "self_reliant"])


def ask(version: Path) -> list[Answer]:
    """The four answers of one version."""
    answers = []
    for moment in MOMENTS:
        project = Project.open(version / moment)
        assert project.manifest is not None
        answers += [project.ask(question) for question in project.manifest.questions[:2]]
        project.solver.close()
    return answers


def brake(answer: Answer) -> float:
    """In the scenario that is shown."""
    assert answer.witness is not None
    return float(answer.witness.output_text("control.brake"))


@VERSIONS
def test_four_questions_and_what_was_run_for_them(version: Path) -> None:
    answers = ask(version)
    assert [answer.verdict.value for answer in answers] == VERDICTS[version]
    assert ", ".join(VERDICTS[version]) in STORY.pattern.supports
    for answer, shows in zip(answers, SHOWN[version], strict=True):
        assert answer.witness is not None
        assert answer.witness.shows is shows
        assert answer.witness.replayed.startswith("by running the compiled program"), answer.witness.replayed
        assert [change.variable.path for change in answer.witness.changed] == (
            [] if shows is Shows.FACT else ["warning.kind"] if answer is answers[1] else ["seen.kind"]
        )


def test_told_of_a_pedestrian_the_car_that_heeds_warnings_brakes_to_a_halt() -> None:
    factual, told = map(brake, ask(HEEDS)[:2])
    assert factual == pytest.approx(2 * (14 * 2.25 - 28) / 2.25**2, rel=1e-5)  # to arrive when the cyclist has passed
    assert told == pytest.approx(14**2 / (2 * (28 - 2)), rel=1e-5)  # to stand 2 m before the crossing


def _without_places(manifest: Manifest) -> Manifest:
    """Without where its events and its tolerance are written, which is for messages."""
    source = manifest.program.source
    assert isinstance(source, WorldSource) and source.tolerance is not None
    events = tuple(replace(event, entry=None) for event in source.events)
    same = replace(source, events=events, tolerance=replace(source.tolerance, entry=None))
    return replace(manifest, program=replace(manifest.program, source=same))


@VERSIONS
def test_both_moments_are_of_one_program_and_one_drive(version: Path) -> None:
    warned, sighted = (load(version / moment) for moment in MOMENTS)
    same = replace(sighted, file=warned.file, keyframe=warned.keyframe, questions=warned.questions)
    assert _without_places(same) == _without_places(warned)
    log = Project.open(version).trace
    kinds = {step.time: (step.inputs["warning.kind"], step.inputs["seen.kind"]) for step in log}
    nobody, pedestrian, cyclist = (logs.KINDS.index(kind) for kind in ("NOBODY", "PEDESTRIAN", "CYCLIST"))
    assert warned.keyframe is not None and sighted.keyframe is not None
    assert kinds[warned.keyframe - 1] == (nobody, nobody)
    assert kinds[warned.keyframe] == (cyclist, nobody)
    assert kinds[sighted.keyframe - 1] == (cyclist, nobody)
    assert kinds[sighted.keyframe] == (cyclist, pedestrian)


@VERSIONS
def test_every_step_of_the_log_is_what_the_program_does(version: Path) -> None:
    project = Project.open(version, step=0)
    assert project.ask(f"did decides throughout {len(project.trace)} steps").verdict.value == "yes"


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("version", ["", "self_reliant"])
def test_a_log_that_is_not_the_program_s_is_noticed(version: str, moment: str, tmp_path: Path) -> None:
    copy("pedestrian", tmp_path)
    project = tmp_path / version / moment
    keyframe = load(project).keyframe
    assert keyframe is not None
    log = tmp_path / version / "log.jsonl"
    lines = log.read_text().splitlines()
    before, after = lines[keyframe].split('"control": {"brake": ')
    lines[keyframe] = f'{before}"control": {{"brake": 0.5{after[after.index("}") :]}'
    log.write_text("\n".join(lines))
    case = Project.open(project)
    assert case.manifest is not None
    for question in case.manifest.questions:
        answer = case.ask(question)
        assert answer.verdict.value == "error"
        assert "log mismatch" in answer.reason


@VERSIONS
def test_the_logs_are_what_recording_writes_and_end_in_a_collision(version: Path) -> None:
    driven = logs.drive(version)
    assert driven.log == (version / "log.jsonl").read_text()
    assert driven.contact


def test_in_the_world_too_the_right_warning_changes_one_version_only() -> None:
    assert not logs.drive(HEEDS, length=logs.PERSON).contact
    assert logs.drive(SELF_RELIANT, length=logs.PERSON).contact
    assert not logs.drive(HEEDS, really="CYCLIST").contact  # for a cyclist it had braked enough


@VERSIONS
def test_the_harm_is_answered_as_the_drives_end(version: Path) -> None:
    project = Project.open(version)
    assert project.manifest is not None
    did, would = (project.ask(question).verdict.value for question in project.manifest.questions[2:])
    assert (did, would) == ("yes", "no" if logs.drive(version, length=logs.PERSON).contact else "yes")
    project.solver.close()


def test_the_manager_and_the_car_act_in_one_world() -> None:
    project = Project.open(HEEDS / "manager")
    assert project.manifest is not None
    answers = [project.ask(question) for question in project.manifest.questions]
    assert [answer.verdict.value for answer in answers] == ["yes"] * 4
    witness = answers[3].witness
    assert witness is not None and "in the compiled world" in witness.replayed
    said = [step["manager.return"] for step in witness.steps]
    assert set(said) == {logs.KINDS.index("PEDESTRIAN")}
    # a person is told from a cyclist by length alone, and at the length of the fact the collision comes back
    assert project.ask("would collision within 30 steps if 1.21 <= camera.length <= 1.7").verdict.value == "yes"
    project.solver.close()
