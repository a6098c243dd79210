"""`settled_by`: every check is counted under one name, and a mechanism that is off settles nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from soid.case.project import Project
from soid.case.stored_answer import keep, recall
from soid.examples import folder
from soid.oracle.answer import Answer
from soid.oracle.inquiry import OPEN_CHECKS
from soid.recipe import MECHANISMS, PAPER, SOID, Recipe
from soid.solver.chain import NAMES, chain

#: what is counted in other things than checks
_NO_CHECKS = {"pinning", "path_models", "bounds", "intervals", "merging", "summaries"}

PROGRAM = """
int decide(int speed, int distance, _Bool wet) {
    if (speed > 100) return 2;
    if (speed > 110) return 3;
    if (speed > 50 && wet) return 2;
    if (distance < speed / 2) return 1;
    return 0;
}
"""

MANIFEST = """
[program]
name = "rule"
engine = "c"
sources = ["rule.c"]
entry = "decide"

[trace]
file = "log.jsonl"
"""

QUESTION = (
    "would return <= 1 if 40 <= speed <= 120 and 0 <= distance <= 200 and wet == false and speed is anything "
    "and distance is anything"
)


@pytest.fixture(scope="module")
def rule(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project: Path = tmp_path_factory.mktemp("rule")
    (project / "rule.c").write_text(PROGRAM)
    (project / "soid.toml").write_text(MANIFEST)
    (project / "log.jsonl").write_text('{"step": 0, "speed": 30, "distance": 90, "wet": true, "return": 0}\n')
    return Project.open(project)


def asked(project: Project, recipe: Recipe = SOID) -> Answer:
    solver = chain(recipe.solvers or NAMES, mechanisms=recipe.mechanisms)
    try:
        settings = replace(project.settings, recipe=recipe)
        return replace(project, solver=solver, settings=settings, summaries=None).ask(
            QUESTION
        )  # nothing is known before
    finally:
        solver.close()


def checks(answer: Answer) -> int:
    return sum(count for name, count in answer.settled_by.items() if name not in _NO_CHECKS)


def test_every_check_is_counted_once(rule: Project) -> None:
    for recipe in (SOID, SOID.without(*MECHANISMS), PAPER):
        answer = asked(rule, recipe)
        assert answer.verdict.value == "no"
        assert checks(answer) == answer.solver["calls"] > 0
    assert list(answer.settled_by) == ["z3"]  # the paper's recipe uses nothing else


def test_what_is_off_settles_nothing(rule: Project) -> None:
    usual = asked(rule).settled_by
    assert usual["pinning"] == 1 and usual["path_models"] and usual["bounds"]
    for name in MECHANISMS:
        assert name not in asked(rule, SOID.without(name)).settled_by


def test_a_fresh_solver_settles_the_same_again(rule: Project) -> None:
    assert asked(rule).settled_by == asked(rule).settled_by


def test_open_checks_are_counted() -> None:
    project = Project.open(folder("crash") / "impatient")
    assert project.manifest is not None
    hurried = replace(project, settings=replace(project.settings, seconds=0.0))
    answer = hurried.ask(project.manifest.questions[3])
    assert answer.verdict.value == "unknown" and answer.settled_by[OPEN_CHECKS] > 0


def test_it_is_kept_and_recalled(rule: Project) -> None:
    answer = asked(rule)
    kept = keep(answer)
    assert kept["settled_by"] == answer.settled_by == recall(kept, rule.keyframe).settled_by
    del kept["settled_by"]  # as in answers that were stored before it existed
    assert recall(kept, rule.keyframe).settled_by == {}
