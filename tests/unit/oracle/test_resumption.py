"""An open question is resumed where it stopped: what is settled or explored is not worked on again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from soid import Project
from soid.budget import Cancellation
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.protocol import Exploration
from soid.engine.summary import PathSummary, Unexplored
from soid.formula.interval_program import Box
from soid.formula.intervals import Values
from soid.oracle import open_share
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import QuestionProgress, Settings
from soid.oracle.next_step import NextStepKind
from soid.recipe import SOID
from soid.solver.box_conditions import BoxConditions
from soid.solver.protocol import UNLIMITED, Budget, Reason, Result, Unknown

#: always 0: boxes show that, but only small ones
APART = "int f(float x, float y) { return x * x - y * y > (x + y) * (x - y) + 0.2f; }"
FORKS = """
int f(const int v[8]) {
    int sum = 0;
    for (int i = 0; i < 7; i++)
        if (v[i] % 3 > 0) sum += v[i] / (i + 2);
    return sum > 1000;
}
"""


class GivesUp:
    """A solver that settles nothing hard: boxes have to."""

    name = "gives up"

    def __init__(self, solver: object) -> None:
        self._solver = solver
        self.asked = True

    def check(self, conjuncts: object, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        if self.asked:
            return self._solver.check(conjuncts, budget, cancel)  # type: ignore[attr-defined, no-any-return]
        return Unknown(Reason.TIME, "it gave up")

    def close(self) -> None:
        self._solver.close()  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOID_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(open_share, "BRIEFLY", 100.0)
    monkeypatch.setattr(open_share, "_OFTEN", 0.0)


def project(folder: Path, source: str, log: str, **settings: object) -> Project:
    folder.mkdir(exist_ok=True)
    (folder / "p.c").write_text(source)
    (folder / "soid.toml").write_text(
        '[program]\nengine = "c"\nsources = ["p.c"]\nentry = "f"\n[trace]\nfile = "log.jsonl"\n[lengths]\nv = 8\n'
        if "v[8]" in source
        else '[program]\nengine = "c"\nsources = ["p.c"]\nentry = "f"\n[trace]\nfile = "log.jsonl"\n'
    )
    (folder / "log.jsonl").write_text(log)
    given: dict[str, object] = {"cores": 1, "seconds": None, "recipe": SOID.without("runs"), **settings}
    opened = Project.open(folder, settings=Settings(**given))  # type: ignore[arg-type]
    solver = GivesUp(opened.solver)
    return Project.open(folder, settings=Settings(**given), solver=solver)  # type: ignore[arg-type]


def stopped_after(boxes: int, opened: Project, question: str, *, resume: bool = False) -> Answer:
    """The answer when so many looks at boxes were reported, after which it was called off."""
    cancel, seen = Cancellation(), 0

    def progress(done: QuestionProgress) -> None:
        nonlocal seen
        assert isinstance(opened.solver, GivesUp)
        opened.solver.asked = done.stage not in ("solve", "pave")
        if done.stage == "pave" and done.share is not None:
            seen += 1
            if seen >= boxes:
                cancel.cancel()

    return opened.ask(question, resume=resume, cancel=cancel, progress=progress)


def counting(monkeypatch: pytest.MonkeyPatch) -> list[Box]:
    """The boxes that are evaluated from now on."""
    seen: list[Box] = []
    evaluate: Callable[..., bool] = BoxConditions.evaluate

    def counted(self: BoxConditions, box: Box, values: list[Values], changed: int) -> bool:
        seen.append(box)
        return evaluate(self, box, values, changed)

    monkeypatch.setattr(BoxConditions, "evaluate", counted)
    return seen


QUESTION_ROOT = "would return == 0 if 1.0 <= x <= 1.5 and 1.0 <= y <= 1.5"


def test_boxes_that_are_settled_are_not_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = project(tmp_path / "p", APART, '{"x": 1.0, "y": 1.0}')
    seen = counting(monkeypatch)
    first = stopped_after(3, opened, QUESTION_ROOT)
    assert first.verdict is Verdict.UNKNOWN and first.resumable and first.settled is not None
    before = set(seen)
    seen.clear()
    second = stopped_after(6, opened, QUESTION_ROOT, resume=True)
    assert second.settled is None or second.settled.share >= first.settled.share
    assert second.before is not None and "explore" not in second.seconds
    again = before & set(seen)
    assert len(again) <= first.settled.boxes  # only boxes that were open are looked at again


def test_explored_paths_are_not_explored_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = project(tmp_path / "p", FORKS, "{" + ", ".join(f'"v[{n}]": {n}' for n in range(8)) + "}")
    question = "might return == 1 if " + " and ".join(f"0 <= v[{n}] <= 5" for n in range(8))
    cancel, found = Cancellation(), list[PathSummary]()
    explore = LlvmEngine.explore

    def explored(self: LlvmEngine, exploration: Exploration) -> PathSummary:
        found.append(explore(self, exploration))
        return found[-1]

    monkeypatch.setattr(LlvmEngine, "explore", explored)

    def stop(done: QuestionProgress) -> None:
        if done.stage == "explore" and done.engine is not None and done.engine.paths >= 20:
            cancel.cancel()

    first = opened.ask(question, cancel=cancel, progress=stop)
    partial = found[-1]
    known = [path for path in partial.paths if not isinstance(path.ending, Unexplored)]
    assert first.verdict is Verdict.UNKNOWN and len(known) >= 20
    found.clear()
    again = opened.ask(question, resume=True)
    fresh = project(tmp_path / "q", FORKS, (tmp_path / "p" / "log.jsonl").read_text()).ask(question)
    assert again.verdict is fresh.verdict and again.verdict.is_definite and again.before is not None
    assert again.paths["unexplored"] == 0
    new = next(each for each in found if len(each.paths) > 1)
    assert len(known) + len(new.paths) == sum(again.paths.values())
    assert sum(again.paths.values()) <= sum(fresh.paths.values()) + len(partial.paths) - len(known)


def test_a_question_that_was_called_off_before_any_box_was_settled_is_put_to_the_solver_again(tmp_path: Path) -> None:
    """It has all of the time: it is not given up after a brief look at boxes, or at once where none can be cut."""
    opened, cancel = project(tmp_path / "p", APART, '{"x": 1.0, "y": 1.0}'), Cancellation()
    question = "might return == 1 if 1.0 <= x <= 3000.0 and 1.0 <= y <= 3000.0"

    def stop(done: QuestionProgress) -> None:
        assert isinstance(opened.solver, GivesUp)
        if done.stage == "solve":
            opened.solver.asked = False
            cancel.cancel()

    first = opened.ask(question, cancel=cancel, progress=stop)
    assert first.verdict is Verdict.UNKNOWN and first.resumable and first.settled is None
    assert isinstance(opened.solver, GivesUp)
    opened.solver.asked = True
    second = opened.ask(question, resume=True)
    assert second.verdict is Verdict.YES and "explore" not in second.seconds and "pave" not in second.seconds


def test_a_changed_program_begins_anew(tmp_path: Path) -> None:
    source = APART
    opened = project(tmp_path / "p", source, '{"x": 1.0, "y": 1.0}')
    assert stopped_after(3, opened, QUESTION_ROOT).resumable
    other = project(tmp_path / "p", source.replace("0.2f", "0.21f"), '{"x": 1.0, "y": 1.0}')
    answer = stopped_after(3, other, QUESTION_ROOT, resume=True)
    assert answer.before is None


def test_what_is_left_when_it_is_settled_is_forgotten(tmp_path: Path) -> None:
    opened = project(tmp_path / "p", APART, '{"x": 1.0, "y": 1.0}')
    assert stopped_after(3, opened, QUESTION_ROOT).resumable
    folder = tmp_path / "cache" / "unfinished"
    assert len(list(folder.iterdir())) == 1
    assert isinstance(opened.solver, GivesUp)
    opened.solver.asked = True
    done = opened.ask(QUESTION_ROOT, resume=True)
    assert done.verdict.is_definite and done.before is not None and not list(folder.iterdir())


def test_a_narrower_family_that_is_said_to_be_settled_is(tmp_path: Path) -> None:
    opened = project(tmp_path / "p", APART, '{"x": 1.0, "y": 1.0}')
    answer = stopped_after(12, opened, QUESTION_ROOT)
    assert answer.settled is not None
    offered = {step.kind: step for step in answer.next_steps}
    assert offered[NextStepKind.MORE_TIME].question == answer.text
    promised = offered[NextStepKind.SETTLED_PART]
    assert isinstance(opened.solver, GivesUp)
    opened.solver.asked = True
    assert opened.ask(promised.question).verdict.value == promised.verdict
