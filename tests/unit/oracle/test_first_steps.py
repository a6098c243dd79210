"""Questions over steps that stay open: for how many of the first steps they are settled."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import final

import pytest
from msgspec.structs import replace

from soid.budget import Cancellation
from soid.case.project import Project
from soid.case.stored_answer import keep, recall
from soid.formula.term import Term
from soid.oracle import member_runs
from soid.oracle.answer import Answer
from soid.oracle.inquiry import QuestionProgress, Settings
from soid.oracle.pipeline import answer
from soid.oracle.settled_steps import SettledSteps
from soid.recipe import SOID, Recipe
from soid.solver.protocol import UNLIMITED, Budget, Reason, Result, Solver, Unknown
from tests.gap_world import MANIFEST, WORLD, collides, gap_project, single

#: a world says nothing of what comes after a step with such a gap
NEAR = "v->gap < 12.0f"
SPEEDS = (1.25, 1.5, 2.0, 2.5)
FAMILY = "v.speed in {1.25, 1.5, 2.0, 2.5} and v.signal in {STRAIGHT, RIGHT}"


def breaking(folder: Path, where: str = NEAR, manifest: str = MANIFEST) -> Project:
    world = WORLD.replace("v->gap = v->gap", f"if ({where}) __builtin_trap();\n    v->gap = v->gap", 1)
    return gap_project(folder, world=world, manifest=manifest)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return breaking(tmp_path_factory.mktemp("breaking"))


def before_it_breaks(speed: float, signal: str, steps: int) -> int:
    """The steps of one simulation of which it is known whether they collide."""
    gap = 30.0
    for step in range(1, steps + 1):
        if gap < 12.0:
            return step  # the gap is perceived in this step, and what comes of it is not known
        braking = signal != "RIGHT" and gap < 20.0
        gap = single(gap - speed)
        speed = max(single(speed - 0.5), 0.0) if braking else speed
    return steps


@pytest.mark.parametrize("steps", [9, 14])
@pytest.mark.parametrize("question", ["would not collision throughout {}", "might collision within {}"])
def test_the_settled_steps_are_those_of_all_simulations(project: Project, question: str, steps: int) -> None:
    scenarios = [(speed, signal) for speed in SPEEDS for signal in ("STRAIGHT", "RIGHT")]
    known = min(before_it_breaks(*each, steps) for each in scenarios)
    assert not any(collides(30.0, *each, known) for each in scenarios)
    found = project.ask(f"{question.format(steps)} steps if {FAMILY}")
    verdict = "yes" if found.kind.value == "would" else "no"
    if known == steps:
        assert (found.verdict.value, found.settled_steps) == (verdict, None)
    else:
        assert found.verdict.value == "unknown"
        assert found.settled_steps == SettledSteps(verdict, known, steps)


def test_the_answer_says_it_in_words_and_in_a_document(project: Project) -> None:
    question = f"would not collision throughout 20 steps if {FAMILY}"
    found = project.ask(question)
    assert "; for the first 9 of 20 steps it is proved: yes" in found.reason
    kept = keep(found)
    assert kept["settled_steps"] == {"verdict": "yes", "steps": 9, "of": 20}
    again = recall(kept, project.keyframe)
    assert again.settled_steps == found.settled_steps and again.reason == found.reason


@pytest.mark.parametrize(
    "question",
    [
        "would collision within 20 steps",  # what holds within the first steps holds within all
        "might not collision throughout 20 steps",
        "would not collision after 20 steps",  # says nothing of the first ones
        "might v.gap > 40.0 within 20 steps held",  # not in the world
    ],
)
def test_other_questions_have_no_settled_steps(project: Project, question: str) -> None:
    assert project.ask(f"{question} if {FAMILY}").settled_steps is None


def test_nothing_is_said_if_not_even_the_first_step_is_settled(tmp_path: Path) -> None:
    found = breaking(tmp_path, "v->gap > 1.0f").ask(f"would *impact == 0.0 throughout 20 steps if {FAMILY}")
    assert found.verdict.value == "unknown" and found.settled_steps is None


def test_a_world_that_is_off_the_log_proves_nothing_of_the_first_steps(tmp_path: Path) -> None:
    """Where the gap is small the world fails; where it is not it is off by more than is stated."""
    strict = MANIFEST.replace("acts =", "tolerance = 0.0\nacts =", 1)
    project = breaking(tmp_path, NEAR, strict)
    log = project.program.folder / "log.jsonl"
    log.write_text(log.read_text().replace('"gap": 26.0', '"gap": 26.5'))
    found = Project.open(project.program.folder).ask(f"would not collision throughout 20 steps if {FAMILY}")
    assert (found.verdict.value, found.settled_steps, found.reason_code.value) == ("unknown", None, "world_off")


@final
class Moody:
    """A solver that knows nothing in some stages."""

    name = "moody"

    def __init__(self, solver: Solver, stages: Sequence[str]) -> None:
        self._solver, self._stages, self._stage = solver, stages, ""

    def watch(self, progress: QuestionProgress) -> None:
        self._stage = progress.stage

    def check(
        self, conjuncts: Sequence[Term], budget: Budget = UNLIMITED, cancel: Cancellation | None = None
    ) -> Result:
        return Unknown(Reason.TIME) if self._stage in self._stages else self._solver.check(conjuncts, budget, cancel)

    def close(self) -> None:
        pass


def by_steps(project: Project, question: str, *, runs: bool) -> Answer:
    """The answer where only the steps one by one can be settled."""
    return moodily(project, question, ("solve", "pave"), SOID if runs else SOID.without("runs"))


def moodily(project: Project, question: str, stages: Sequence[str], recipe: Recipe = SOID) -> Answer:
    context = project.context()
    moody = Moody(context.solver, stages)
    context = replace(context, solver=moody, settings=Settings(recipe=recipe), progress=moody.watch)
    return answer(project.checked(question), project.keyframe, context)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return gap_project(tmp_path_factory.mktemp("sound"))


@pytest.mark.parametrize("signal", ["STRAIGHT", "RIGHT"])
@pytest.mark.parametrize("question", ["would not collision throughout", "might collision within"])
def test_steps_one_by_one_settle_what_all_at_once_do_not(sound: Project, question: str, signal: str) -> None:
    family = f"v.speed in {{1.5, 2.25, 2.5}} and v.signal in {{LEFT, {signal}}}"
    for steps in (12, 13, 16):
        found = by_steps(sound, f"{question} {steps} steps if {family}", runs=False)
        collide = any(collides(30.0, v, s, steps) for v in (1.5, 2.25, 2.5) for s in ("LEFT", signal))
        assert (found.verdict.value == "yes") is (collide is question.startswith("might")), found.reason
        assert "steps" in found.seconds and found.settled_steps is None


def test_a_scenario_that_a_step_shows_is_run_in_all_steps(sound: Project) -> None:
    """No state that is tried at random has this gap."""
    found = by_steps(sound, "might v.gap == 24.125 within 6 steps if v.speed >= 1.45 and v.speed <= 1.6", runs=True)
    assert found.verdict.value == "yes" and found.witness is not None and "steps" in found.seconds
    assert len(found.witness.earlier) == 5 and "in the compiled world" in found.witness.replayed


def test_the_search_goes_on_where_a_loop_cannot_be_proved(sound: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a speed in the middle it has this gap, and that is not the first scenario that is tried."""
    question = "might v.gap == 28.3125 within 6 steps if v.speed >= 1.375 and v.speed <= 2.0"
    monkeypatch.setattr(member_runs, "_SOME", 1)
    found = moodily(sound, question, ("solve",), SOID.without("paving"))
    assert found.verdict.value == "yes" and found.witness is not None and found.tried == 0
    (speed,) = struct.unpack("f", found.witness.inputs["v.speed"].to_bytes(4, "little"))
    assert single(30.0 - speed) == 28.3125
    assert "in the compiled world" in found.witness.replayed
    monkeypatch.setattr(member_runs, "_MORE", 1)  # the one that was run before
    found = moodily(sound, question, ("solve",), SOID.without("paving"))
    assert (found.verdict.value, found.tried) == ("unknown", 1)
    assert found.reason.endswith("; 1 single scenario was run, and settles nothing")
    assert recall(keep(found), sound.keyframe).tried == 1


def test_no_scenario_is_run_twice_and_none_of_those_run_is_a_proof(
    sound: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(member_runs, "_SOME", 5)
    monkeypatch.setattr(member_runs, "_MORE", 12)
    question = "would not v.gap == 24.125 throughout 6 steps if v.speed >= 1.0 and v.speed <= 1.25"
    found = moodily(sound, question, ("solve",), SOID.without("paving"))
    assert (found.verdict.value, found.tried) == ("unknown", 12)
