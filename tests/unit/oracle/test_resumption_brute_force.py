"""Random programs: a question that is called off again and again, and resumed, has the verdict that all states give.

What an unknown says is settled is true on the way, too: no state outside of its open boxes settles the question, and
a narrower family that is said to be settled is.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from soid import Project
from soid.budget import Cancellation
from soid.oracle import open_share
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import QuestionProgress, Settings
from soid.oracle.next_step import NextStepKind
from soid.recipe import SOID
from tests.unit.oracle.test_resumption import GivesUp

TOP = 40  # the inputs go from 0 to this
NAMES = ("x", "y", "z")
STATES = dict(zip(NAMES, np.indices((TOP + 1,) * 3), strict=True))

SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.fuzz) for seed in range(4, 60))]


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOID_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(open_share, "BRIEFLY", 100.0)
    monkeypatch.setattr(open_share, "_OFTEN", 0.0)


def expression(random: Random) -> str:
    """An expression that C and Python compute alike: no operand is below 0."""
    one, other = random.sample(NAMES, 2)
    return random.choice((f"{one} * {other}", f"{one} + {random.randrange(5)} * {other}", f"{one} * {one} % 7"))


def lines(random: Random) -> list[tuple[str, str, str]]:
    """For each branch of a program its condition, and what is added on both sides."""
    return [
        (f"{expression(random)} > {random.randrange(1, 20)}", expression(random), str(random.randrange(30)))
        for _ in range(5)
    ]


def totals(branches: list[tuple[str, str, str]]) -> Any:
    """What the program adds up in each state; the fact is left out."""
    found = sum(np.where(*(eval(each, dict(STATES)) for each in branch)) for branch in branches)
    found[0, 0, 0] = 0
    return found


def written(folder: Path, branches: list[tuple[str, str, str]], limit: int) -> None:
    folder.mkdir(exist_ok=True)
    body = "\n".join(f"    s += ({condition}) ? ({yes}) : ({no});" for condition, yes, no in branches)
    body = body.replace("s +=", "if (s >= 0) s +=")  # so that the compiler makes branches of it
    source = f"int f(int x, int y, int z) {{\n    int s = 0;\n{body}\n    return s > {limit};\n}}\n"
    (folder / "p.c").write_text(source)
    manifest = '[program]\nengine = "c"\nsources = ["p.c"]\nentry = "f"\n[trace]\nfile = "log.jsonl"\n'
    (folder / "soid.toml").write_text(manifest)
    (folder / "log.jsonl").write_text('{"x": 0, "y": 0, "z": 0}\n')


def opened(folder: Path) -> Project:
    settings = Settings(cores=1, seconds=None, recipe=SOID.without("runs"))
    return Project.open(folder, settings=settings, solver=GivesUp(Project.open(folder, settings=settings).solver))


def called_off(project: Project, question: str, random: Random, *, resume: bool) -> Answer:
    """The answer when the question is called off somewhere on its way."""
    cancel, until, left = (
        Cancellation(),
        *random.choice((("explore", random.randrange(2, 5)), ("pave", random.randrange(2, 7)))),
    )

    def progress(done: QuestionProgress) -> None:
        nonlocal left
        assert isinstance(project.solver, GivesUp)
        project.solver.asked = done.stage not in ("solve", "pave")  # what can be settled is settled box by box
        left -= done.stage == until
        if left <= 0:
            cancel.cancel()

    return project.ask(question, resume=resume, cancel=cancel, progress=progress)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_resumed_question_has_the_verdict_of_all_states(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    branches = lines(random)
    sums = totals(branches)
    most = int(np.unique(sums)[random.choice((-1, -2))])
    written(tmp_path / "p", branches, most)
    verb, told = random.choice((("would return == 0", Verdict.YES), ("might return == 1", Verdict.NO)))
    question = f"{verb} if {' and '.join(f'0 <= {name} <= {TOP}' for name in NAMES)}"
    settling = [tuple(map(int, state)) for state in np.argwhere(sums > most)]
    truth = {Verdict.YES: Verdict.NO, Verdict.NO: Verdict.YES}[told] if settling else told
    project = opened(tmp_path / "p")
    for attempt in range(12):
        project = opened(tmp_path / "p") if random.random() < 0.5 else project
        answer = called_off(project, question, random, resume=attempt > 0)
        if answer.verdict is not Verdict.UNKNOWN:
            break
        check_what_is_settled(answer, told, settling)
        check_what_is_promised(answer, tmp_path / "p")
    else:
        answer = opened(tmp_path / "p").ask(question, resume=True)
    assert answer.verdict is truth


def check_what_is_settled(answer: Answer, told: Verdict, settling: list[tuple[int, ...]]) -> None:
    """Each state that settles the question is in an open box."""
    settled = answer.settled
    if settled is None or settled.boxes > len(settled.open):
        return
    assert settled.verdict == told.value
    boxes = [{side.variable: (int(side.low), int(side.high)) for side in box.sides} for box in settled.open]
    for state in settling:
        at = dict(zip(NAMES, state, strict=True))
        assert any(all(low <= at[name] <= high for name, (low, high) in box.items()) for box in boxes), state


def check_what_is_promised(answer: Answer, folder: Path) -> None:
    for step in answer.next_steps:
        if step.kind is NextStepKind.SETTLED_PART:
            assert opened(folder).ask(step.question).verdict.value == step.verdict
