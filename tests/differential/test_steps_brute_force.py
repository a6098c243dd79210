"""Questions over several steps against brute force: random decision logics with a state, run step by step by hand."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from soid.case.project import Project
from soid.errors import TraceError
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Settings
from soid.solver.chain import chain
from soid.solver.protocol import Solver
from tests.differential.logics.expectation import TooMany, needs_unknown_fact
from tests.differential.logics.logic import DECIDES, UNEXPLORED, Logic, make
from tests.differential.logics.machines import machine
from tests.differential.logics.project import write
from tests.differential.logics.questions import Question, ask, nowhere_near
from tests.differential.logics.stepping import AFTER, THROUGHOUT, WITHIN, Course, Expected, Over, expect, follow, log

LOGICS, BATCHES, QUESTIONS, DID, MOST = 240, 8, 2, 1, 300
FIRST = 4  # batches; the others are soaked
RUN = [*range(FIRST), *(pytest.param(batch, marks=pytest.mark.soak) for batch in range(FIRST, BATCHES))]
PATIENT = Settings(seconds=100.0, witness_seconds=100.0, accept_log_mismatch=True)


@pytest.fixture(scope="module")
def solver() -> Iterator[Solver]:
    made = chain()
    yield made
    made.close()


def logic_of(seed: int) -> Logic:
    """One in four has variables of all kinds; the state of the others matters more."""
    return make(f"steps {seed}") if seed % 4 == 0 else machine(f"steps {seed}")


def over(rng: random.Random) -> Over:
    return Over(rng.choice([AFTER, WITHIN, THROUGHOUT]), rng.randint(1, 4))


def text(question: Question, steps: Over) -> str:
    head, condition, tail = question.text.partition(" if ")
    held = " held" if question.kind != "did" and steps.count > 1 else ""
    return f"{head} {steps.text}{held}{condition}{tail}"


def agree_on_steps(answer: Answer, course: Course, context: str) -> None:
    """Each step of the witness is what the logic gives there."""
    assert answer.witness is not None, context
    decided = [dict(outcome.outputs) for outcome in course.outcomes if outcome.ending == DECIDES]
    assert [dict(step) for step in answer.witness.steps] == decided, context
    leaf = course.outcomes[-1].leaf
    if course.ending != UNEXPLORED and leaf is not None:
        assert str(answer.witness.ending) == (leaf.words or "decides"), context


# --- would, might ---------------------------------------------------------------------------------------------


def asked(rng: random.Random, logic: Logic) -> Iterator[tuple[Question, Over, Expected]]:
    for _ in range(QUESTIONS):
        question, steps = ask(rng, logic), over(rng)
        if question.kind == "did" or nowhere_near(logic, question.suppositions) or needs_unknown_fact(logic, question):
            continue
        try:
            yield question, steps, expect(logic, question, steps, MOST)
        except TooMany:
            continue


@pytest.mark.parametrize("batch", RUN)
def test_would_and_might_are_what_trying_all_states_gives(batch: int, tmp_path: Path, solver: Solver) -> None:
    alike = told = 0
    for seed in range(batch, LOGICS, BATCHES):
        logic = logic_of(seed)
        project = Project.open(write(logic, tmp_path / str(seed)), solver=solver, settings=PATIENT)
        for question, steps, expected in asked(random.Random(f"{seed} steps"), logic):
            context = f"logic {logic.seed} in {project.program.folder}: {text(question, steps)}\n{expected}"
            answer = project.ask(text(question, steps))
            if answer.verdict is Verdict.UNKNOWN and "not supported: the bits of" in answer.reason:
                continue
            assert answer.verdict.value == expected.verdict, f"{context}\n{answer.verdict}: {answer.reason}"
            assert expected.throughout or answer.throughout is None, context
            alike += expected.throughout
            told += answer.throughout is not None
            if expected.witness is None:
                assert answer.witness is None, context
                continue
            assert answer.witness is not None and answer.witness.shows.value == expected.shows, context
            assert dict(answer.witness.inputs) == expected.witness, f"{context}\nshown: {dict(answer.witness.inputs)}"
            agree_on_steps(answer, follow(logic, expected.witness, [{}] * (steps.count - 1)), context)
    assert told >= alike / 2  # it is left out only where it takes longer than the question


@pytest.mark.parametrize("batch", RUN)
def test_as_logged_is_what_trying_all_states_on_the_logged_environments_gives(
    batch: int, tmp_path: Path, solver: Solver
) -> None:
    for seed in range(batch, LOGICS // 2, BATCHES):
        logic = logic_of(seed)
        rng = random.Random(f"{seed} logged")
        question, steps = ask(rng, logic), dataclasses.replace(over(rng), count=rng.randint(2, 4))
        if question.kind == "did" or nowhere_near(logic, question.suppositions) or needs_unknown_fact(logic, question):
            continue
        logged = log(rng, logic, steps.count)
        folder = write(logic, tmp_path / str(seed))
        (folder / "log.jsonl").write_text(logged.text, encoding="utf-8")
        try:
            expected = expect(logic, question, steps, MOST, logged.environments)
            project = Project.open(folder, step=7, solver=solver, settings=PATIENT)
        except (TooMany, TraceError):  # or it left a state that no log may say
            continue
        asked = text(question, steps).replace(" held", " as logged")
        answer = project.ask(asked)
        context = f"logic {logic.seed} in {folder}: {asked}\n{expected}\n{answer.verdict}: {answer.reason}"
        if answer.verdict is Verdict.UNKNOWN and "not supported: the bits of" in answer.reason:
            continue
        assert answer.verdict.value == expected.verdict, context
        assert expected.throughout or answer.throughout is None, context
        if expected.witness is not None:
            assert answer.witness is not None and answer.witness.shows.value == expected.shows, context


# --- did ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", RUN)
def test_did_is_what_the_log_says_step_by_step(batch: int, tmp_path: Path, solver: Solver) -> None:
    for seed in range(batch, LOGICS, BATCHES):
        logic = logic_of(seed)
        rng = random.Random(f"{seed} did")
        for number in range(DID):
            steps = over(rng)
            question = dataclasses.replace(ask(rng, logic), kind="did", suppositions=())
            logged = log(rng, logic, steps.count)
            folder = write(logic, tmp_path / f"{seed}-{number}")
            (folder / "log.jsonl").write_text(logged.text, encoding="utf-8")
            try:
                project = Project.open(
                    folder, step=7, solver=solver, settings=replace(PATIENT, accept_log_mismatch=False)
                )
            except TraceError:  # it left a state that no log may say
                continue
            if any(f"fact({name})" in question.behavior.text for name in logic.outputs):
                continue
            answer = project.ask(text(question, steps))
            course = follow(logic, logic.fact, logged.environments)
            context = f"logic {logic.seed} in {folder}: {text(question, steps)}\n{course}\n{answer.reason}"
            if logged.wrong is not None:
                named = f"at step {7 + logged.wrong}" if logged.wrong else "the log says"
                assert answer.verdict is Verdict.ERROR and named in answer.reason, context
                continue
            truth = steps.truth(question, course, logic.fact)
            if truth is None and course.ending == UNEXPLORED:
                assert answer.verdict is Verdict.UNKNOWN, context
                continue
            assert answer.verdict is (Verdict.YES if truth is True else Verdict.NO), context
            agree_on_steps(answer, course, context)


def test_the_logics_show_every_kind_of_answer() -> None:
    """The brute force is worth something only if verdicts, words and endings occur in it, and often."""
    seen: Counter[str] = Counter()
    for seed in range(LOGICS):
        logic = logic_of(seed)
        for question, steps, expected in asked(random.Random(f"{seed} steps"), logic):
            seen[f"{question.kind} {steps.word} {expected.verdict}"] += 1
            if expected.witness is not None:
                course = follow(logic, expected.witness, [{}] * (steps.count - 1))
                seen[f"{course.ending} in step {len(course.outcomes)}"] += 1
    wanted = {
        f"{kind} {word} {verdict}"
        for kind in ("would", "might")
        for word in (AFTER, WITHIN, THROUGHOUT)
        for verdict in ("yes", "no")
    }
    wanted |= {f"{ending} in step {step}" for ending in ("decided", "failed", "undecided") for step in (1, 2, 3)}
    assert {kind for kind in wanted if seen[kind] < 2} == set(), seen
