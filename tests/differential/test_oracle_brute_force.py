"""The oracle against brute force: random small decision logics, random questions, every state tried by hand.

A failure names the seed and the question; `LOGICS=1:<seed> pytest -m fuzz` runs that logic alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import final

import pytest
from msgspec.structs import replace

from soid.case.project import Project
from soid.documents import json_of
from soid.errors import QueryError, TraceError
from soid.oracle import inquiry, member_runs, throughout
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import QuestionProgress, Settings
from soid.query.language.query_parser import parse
from soid.recipe import SOID
from soid.scenario.trace_reader import read
from soid.solver.chain import NAMES, chain
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Conjuncts, Reason, Result, Solver, Unknown
from tests.differential.logics.expectation import FEW, MANY, Expected, TooMany, expect, needs_unknown_fact
from tests.differential.logics.logic import DECIDES, UNEXPLORED, Logic, make
from tests.differential.logics.project import write
from tests.differential.logics.questions import Question, ask, nowhere_near

LOGICS, BATCHES, QUESTIONS = 500, 25, 2
FIRST = 8  # batches; the others are soaked
LATER = [pytest.param(batch, marks=pytest.mark.soak) for batch in range(FIRST, BATCHES)]
PATIENT = Settings(seconds=100.0, witness_seconds=100.0)  # on a busy machine the answers are the same
KINDS_OF_ANSWER = {
    "did yes", "did no", "did unknown", "did error",
    "would yes", "would no", "would unknown", "would vacuous", "would error",
    "might yes", "might no", "might unknown", "might vacuous", "might error",
}  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """A logic with a case, a question to it, and what the answer must be."""

    logic: Logic
    case: Project
    question: Question
    expected: Expected


@pytest.fixture(scope="module")
def solver() -> Iterator[Solver]:
    """One chain for all logics: what one question leaves behind must not reach the next."""
    made = chain()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first attempt has time enough on a busy machine too."""
    monkeypatch.setattr(inquiry, "BRIEFLY", PATIENT.seconds)
    monkeypatch.setattr(throughout, "SHARE", 1.0)
    monkeypatch.setattr(throughout, "LEAST", PATIENT.seconds)


def questions(seed: str, folder: Path, solver: Solver, *, most: int = FEW, count: int = QUESTIONS) -> Iterator[Asked]:
    """A logic's questions; one about a log that does not match is asked again with the mismatch accepted."""
    logic = make(seed)
    project = Project.open(write(logic, folder / f"logic-{seed}"), solver=solver, settings=PATIENT)
    accepting = replace(project, settings=replace(PATIENT, accept_log_mismatch=True))
    rng = random.Random(f"{seed} questions")
    for _ in range(count):
        question = ask(rng, logic)
        if not well_posed(logic, question):
            with pytest.raises(QueryError, match=r"nothing is near to the fact|had no value in fact"):
                accepting.ask(question.text)
            continue
        try:
            yield Asked(logic, project, question, expect(logic, question, most=most))
            if logic.mismatch:
                yield Asked(logic, accepting, question, expect(logic, question, accepted=True, most=most))
        except TooMany:
            continue


def well_posed(logic: Logic, question: Question) -> bool:
    """Whether it makes sense, given what the fact was."""
    ending = logic.outcome(logic.fact).ending
    if needs_unknown_fact(logic, question):
        return ending == UNEXPLORED  # nobody knows the fact, which is said before anything else
    return question.kind == "did" or not nowhere_near(logic, question.suppositions)


def told(asked: Asked) -> str:
    """What a person needs to look into a failure."""
    return f"logic {asked.logic.seed} in {asked.case.program.folder}: {asked.question.text}\n{asked.expected}"


def agree(asked: Asked) -> Answer:
    """Ask, and compare everything that the answer promises."""
    answer = asked.case.ask(asked.question.text)
    expected, context = asked.expected, told(asked)
    assert answer.verdict.value == expected.verdict, f"{context}\n{answer.verdict}: {answer.reason}"
    assert dict(answer.paths) == dict(expected.paths), context
    assert parse(answer.text, asked.case.program.interface) == answer.query, context
    assert (answer.throughout is not None) is expected.throughout, context
    if expected.witness is None:
        assert answer.witness is None, context
    else:
        _agree_on_witness(answer, asked)
        _reads_back(answer, asked)
    return answer


def _agree_on_witness(answer: Answer, asked: Asked) -> None:
    logic, expected, context = asked.logic, asked.expected, told(asked)
    witness = answer.witness
    assert witness is not None and expected.witness is not None, context
    assert witness.shows.value == expected.shows, context
    assert dict(witness.inputs) == expected.witness, f"{context}\nshown: {dict(witness.inputs)}"
    outcome = logic.outcome(witness.inputs)
    assert outcome.ending != UNEXPLORED, context
    assert dict(witness.outputs) == dict(outcome.outputs), context
    assert outcome.leaf is not None
    assert str(witness.ending) == (outcome.leaf.words or "decides"), context
    differs = [v.name for v in logic.inputs if witness.inputs[v.name] != logic.fact[v.name]]
    assert [change.variable.path for change in witness.changed] == differs, context
    assert bool(differs) == (expected.shows != "fact"), context
    assert witness.settled is expected.nearest, context
    if outcome.ending != DECIDES:
        assert not witness.outputs, context


def _reads_back(answer: Answer, asked: Asked) -> None:
    """A witness written down as a log is the same scenario, to the bit, and the program does the same there."""
    witness, context = answer.witness, told(asked)
    assert witness is not None
    shown, log = json_of(witness.document), asked.case.program.folder / "witness.jsonl"
    for cells in (shown["inputs"] | shown["outputs"], shown["inputs"]):
        log.write_text(json.dumps(cells) + "\n", encoding="utf-8")
        with contextlib.suppress(TraceError):  # outside a declared domain, or without a label: no log may say that
            keyframe = read(log, asked.case.program.interface).keyframe(0)
            assert dict(keyframe.inputs) == dict(witness.inputs), context
            assert all(witness.outputs[name] == bits for name, bits in keyframe.decisions.items()), context
            return


@pytest.mark.parametrize("batch", [*range(FIRST), *LATER])
def test_every_answer_is_what_trying_all_states_gives(batch: int, tmp_path: Path, solver: Solver) -> None:
    for seed in range(batch, LOGICS, BATCHES):
        # a few logics have time for questions about all bits of a float16
        most = MANY if seed < 8 else FEW
        for asked in questions(str(seed), tmp_path, solver, most=most):
            agree(asked)


@pytest.mark.parametrize("few", [0, 10_000])
def test_runs_of_single_scenarios_say_the_same(
    few: int, tmp_path: Path, solver: Solver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a solver that gives up, all of a family is run, or some of it; then a verdict may be missing."""
    monkeypatch.setattr(member_runs, "FEW", few)
    blind = Blind(solver)
    settled = alike = 0
    for seed in range(2000, 2040):
        for asked in questions(str(seed), tmp_path, solver):
            settings = replace(asked.case.settings, recipe=SOID.without("paving"))
            case = replace(asked.case, solver=blind, settings=settings)
            answer, expected = case.ask(asked.question.text, progress=blind.watch), asked.expected
            if "runs" not in answer.settled_by:
                assert answer.verdict.value in (expected.verdict, "unknown"), told(asked)
                continue
            settled += 1
            assert answer.verdict.value == expected.verdict, f"{told(asked)}\n{answer.reason}"
            assert answer.witness is not None
            assert (answer.throughout is not None) is (expected.throughout and few > 0), told(asked)
            alike += answer.throughout is not None
            assert answer.witness.settled is expected.nearest or not few, told(asked)
            if answer.witness.settled:
                assert expected.nearest and dict(answer.witness.inputs) == expected.witness, told(asked)
    assert settled > 10 and (alike > 2 or not few)


@final
class Blind:
    """A solver that knows nothing while the question is solved."""

    name = "blind"

    def __init__(self, inner: Solver) -> None:
        self.inner = inner
        self.stage = ""

    def watch(self, progress: QuestionProgress) -> None:
        self.stage = progress.stage

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        if self.stage == "solve":
            return Unknown(Reason.TIME, "blind")
        return self.inner.check(conjuncts, budget, cancel)

    def close(self) -> None:
        pass


def test_the_logics_show_every_kind_of_answer() -> None:
    """The brute force is worth something only if all verdicts, endings and witnesses occur in it, and often."""
    seen: Counter[str] = Counter()
    for seed in (seed for batch in range(FIRST) for seed in range(batch, LOGICS, BATCHES)):
        logic = make(str(seed))
        rng = random.Random(f"{seed} questions")
        for _ in range(QUESTIONS):
            question = ask(rng, logic)
            if not well_posed(logic, question):
                continue
            try:
                expected = expect(logic, question, most=300)
            except TooMany:
                continue
            seen[f"{question.kind} {expected.verdict}"] += 1
            seen[f"{expected.shows} of many, in all of which it is so"] += expected.throughout and expected.states > 1
            if expected.witness is not None:
                seen[f"{expected.shows} {logic.outcome(expected.witness).ending}"] += 1
    assert {kind for kind in KINDS_OF_ANSWER if seen[kind] < 3} == set()
    shown = {
        f"{shows} {ending}" for shows in ("member", "counterexample") for ending in ("decided", "failed", "undecided")
    }
    shown |= {f"{shows} of many, in all of which it is so" for shows in ("example", "counterexample")}
    assert {kind for kind in shown if seen[kind] < 2} == set()


# --- which solver answers makes no difference -----------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_each_solver_by_itself_gives_the_same_answers(name: str, tmp_path: Path) -> None:
    """Verdict, witness and all; or `unknown`, where the solver says that the question is not for it."""
    alone = chain([name])
    definite = 0
    try:
        for seed in range(1000, 1020):
            for asked in questions(str(seed), tmp_path, alone):
                answer = asked.case.ask(asked.question.text)
                if answer.verdict is Verdict.UNKNOWN and f"unsupported: {name}" in answer.reason:
                    continue
                assert answer.verdict.value == asked.expected.verdict, told(asked)
                if answer.witness is not None and answer.witness.settled:
                    assert dict(answer.witness.inputs) == asked.expected.witness, told(asked)
                definite += answer.verdict.is_definite
    finally:
        alone.close()
    assert definite > 20


@pytest.mark.fuzz
@pytest.mark.timeout(0)
def test_many_more_logics(tmp_path: Path, solver: Solver) -> None:
    """`LOGICS=20000:50000` tries that many from that seed on."""
    count, _, first = os.environ.get("LOGICS", "20000:100000").partition(":")
    for seed in range(int(first or 0), int(first or 0) + int(count)):
        for asked in questions(str(seed), tmp_path, solver, most=MANY if seed % 50 == 0 else FEW, count=3):
            agree(asked)
