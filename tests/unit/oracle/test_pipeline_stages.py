"""Solvers that give up, lie or are called off, at each stage: never the wrong verdict, and never over budget."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

import pytest

from soid.budget import Cancellation
from soid.engine.summary import Path
from soid.errors import InternalError
from soid.formula.passes import free_variables
from soid.formula.term import Term
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import QuestionProgress, Settings
from soid.recipe import SOID
from soid.solver.chain import chain
from soid.solver.protocol import UNLIMITED, Budget, Reason, Result, Sat, Unknown, Unsat
from tests.clock import Clock, set_up
from tests.exhaustive import ExhaustiveSolver
from tests.unit.oracle.worlds import (
    ARMED,
    BROKEN,
    DARK,
    WAITING,
    OnCue,
    X,
    Y,
    ask,
    decides,
    gives_up,
    is_,
    paths,
)

QUESTIONS = [
    ("would move == GO if x is anything and y is anything", paths(BROKEN)),
    ("would move in {STAY, GO} if x in {0, 1} and y is anything", paths(BROKEN)),
    ("would decides if x in {1, 2} and y < 0", paths(WAITING)),
    ("would not decides if x == 3 and y is anything", paths(WAITING)),
    ("would decides if x is anything", paths(DARK)),
    ("might move == GO if x is anything and armed", paths(BROKEN)),
    ("might move == GO if x in {2, 3} and y is anything", paths(BROKEN)),
    ("might fails if x in {2, 3}", paths(DARK)),
    ("would decides if x == 1 and x == 2 and y is anything", paths(BROKEN)),
]


@pytest.mark.parametrize("onwards", [False, True])
@pytest.mark.parametrize(("question", "given"), QUESTIONS)
def test_a_solver_that_gives_up_never_turns_a_verdict_around(
    question: str, given: tuple[Path, ...], onwards: bool
) -> None:
    honest = ExhaustiveSolver()
    right = ask(question, given, solver=honest)
    for at in range(honest.check_all.calls):
        answer = ask(question, given, solver=OnCue(at, gives_up, onwards=onwards))
        assert answer.verdict in (right.verdict, Verdict.UNKNOWN), f"call {at}"
        if answer.verdict is Verdict.UNKNOWN and right.verdict is not Verdict.UNKNOWN:
            assert "time: 2 s were over" in answer.reason
        if answer.verdict.is_definite and at == 0:
            raise AssertionError("without knowing whether there is any scenario, nothing is definite")


@pytest.mark.parametrize(("question", "given"), QUESTIONS)
def test_a_witness_that_could_not_be_settled_says_so_and_still_replays(question: str, given: tuple[Path, ...]) -> None:
    honest = ExhaustiveSolver()
    right = ask(question, given, solver=honest)
    if right.witness is None:
        return
    settled = 0
    for at in range(honest.check_all.calls):
        answer = ask(question, given, solver=OnCue(at, gives_up, onwards=True))
        if answer.witness is not None and answer.witness.settled:
            settled += 1
            assert answer.witness.inputs == right.witness.inputs
    assert settled < honest.check_all.calls


def wrong_model(result: Result) -> Result:
    """Whatever is true, a state in which everything is as far off as can be."""
    return Sat({X: 3, Y: 2, ARMED: True})


@pytest.mark.parametrize("lie", [wrong_model, lambda _: Sat({}), lambda _: Sat({X: 0, Y: 1, ARMED: False})])
@pytest.mark.parametrize(("question", "given"), QUESTIONS)
def test_a_solver_with_wrong_models_is_found_out(
    question: str, given: tuple[Path, ...], lie: Callable[[Result], Result]
) -> None:
    """Its lie is without consequence, leads to `unknown`, or is an internal error: it is never believed."""
    honest = ExhaustiveSolver()
    right = ask(question, given, solver=honest)
    for at in range(honest.check_all.calls):
        with contextlib.suppress(InternalError):
            answer = ask(question, given, solver=OnCue(at, lie), settings=Settings(witness_seconds=0.05))
            assert answer.verdict in (right.verdict, Verdict.UNKNOWN), f"call {at}: {answer.verdict}"


def test_a_solver_that_always_lies_is_found_out() -> None:
    with pytest.raises(InternalError, match="does not replay"):
        ask("would move == GO if 1 <= x <= 1", solver=OnCue(0, wrong_model, onwards=True))


def test_an_engine_that_covers_too_little_is_found_out() -> None:
    given = [decides("zero", is_(X, 0), "STAY"), decides("one", is_(X, 1), "GO")]
    with pytest.raises(InternalError, match="no path covers a state of the family"):
        ask("would move == GO if x in {1, 2}", given, fact={"x": 1})


def test_an_engine_that_covers_nothing_of_the_fact_is_found_out() -> None:
    with pytest.raises(InternalError, match="no path covers"):
        ask("did move == GO", [decides("one", is_(X, 1), "GO")])


# --- budgets and cancellation ---------------------------------------------------------------------------------


class Slow:
    """Uses up its budget, and never comes to an end before."""

    name = "slow"

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.budgets: list[float] = []

    def check(
        self, conjuncts: Sequence[Term], budget: Budget = UNLIMITED, cancel: Cancellation | None = None
    ) -> Result:
        assert budget.seconds is not None
        self.budgets.append(budget.seconds)
        if not free_variables(conjuncts):
            return ExhaustiveSolver().check(conjuncts)
        self.clock.forward(budget.seconds)
        return Unknown(Reason.TIME)

    def close(self) -> None:
        pass


def test_the_questions_budget_is_handed_down_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = set_up(monkeypatch)
    slow, began = Slow(clock), clock.now
    answer = ask("would move == GO if 1 <= x <= 1", solver=slow, settings=Settings(seconds=8.0))
    assert answer.verdict is Verdict.UNKNOWN
    assert "time" in answer.reason
    assert max(slow.budgets) <= 8.0 and clock.now - began <= 8.0


@pytest.mark.parametrize("question", ["would fails if x < 3", "might move == GO if x is anything"])
def test_no_time_at_all_is_unknown(question: str) -> None:
    solver = chain()
    try:
        answer = ask(question, solver=solver, settings=Settings(seconds=0.0))
    finally:
        solver.close()
    assert answer.verdict is Verdict.UNKNOWN
    assert "time" in answer.reason


def test_did_needs_no_solver_and_no_time() -> None:
    class NeverAsked:
        name = "never asked"

        def check(self, *_: object, **__: object) -> Result:
            return Unknown(Reason.TIME)

        def close(self) -> None:
            pass

    assert ask("did move == STAY", solver=NeverAsked(), settings=Settings(seconds=0.0)).verdict is Verdict.YES


def test_the_witness_has_a_budget_of_its_own() -> None:
    answer = ask("would move == GO if x is anything", settings=Settings(witness_seconds=0.0))
    assert answer.verdict is Verdict.NO
    assert answer.witness is not None
    assert not answer.witness.settled


def test_a_question_that_was_called_off_is_unknown() -> None:
    cancel = Cancellation()
    cancel.cancel()
    solver = chain()
    try:
        answer = ask("would move == GO if 1 <= x <= 1 and y is anything", solver=solver, cancel=cancel)
    finally:
        solver.close()
    assert answer.verdict is Verdict.UNKNOWN
    assert "cancelled" in answer.reason


@pytest.mark.parametrize("stage", ["fact", "family", "explore", "solve", "witness"])
def test_calling_off_at_any_stage_gives_no_wrong_verdict(stage: str) -> None:
    question = "would move == STAY if x in {2, 3} and x + y == 2"
    cancel = Cancellation()

    class Obedient:
        name = "obedient"

        def check(
            self, conjuncts: Sequence[Term], budget: Budget = UNLIMITED, cancel: Cancellation | None = None
        ) -> Result:
            if cancel is not None and cancel.cancelled:
                return Unknown(Reason.CANCELLED)
            return ExhaustiveSolver().check(conjuncts)

        def close(self) -> None:
            pass

    def progress(each: QuestionProgress) -> None:
        if each.stage == stage:
            cancel.cancel()

    answer = ask(question, solver=Obedient(), cancel=cancel, progress=progress)
    if stage == "witness":
        assert answer.verdict is Verdict.NO
        assert answer.witness is not None and not answer.witness.settled
    else:
        assert answer.verdict is Verdict.UNKNOWN
        assert "cancelled" in answer.reason


def test_unsat_is_the_only_proof() -> None:
    """With every question unknown but the first, no boxes and no runs, nothing is proved and nothing refuted."""
    calls = 0

    class First:
        name = "first"

        def check(
            self, conjuncts: Sequence[Term], budget: Budget = UNLIMITED, cancel: Cancellation | None = None
        ) -> Result:
            nonlocal calls
            calls += 1
            return ExhaustiveSolver().check(conjuncts) if calls == 1 else Unknown(Reason.SOLVER, "crashed")

        def close(self) -> None:
            pass

    assert isinstance(ExhaustiveSolver().check([]), Sat) and not isinstance(Unsat(), Sat)
    settings = Settings(recipe=SOID.without("paving", "runs"))
    answer = ask("would move == GO if 1 <= x <= 1", solver=First(), settings=settings)
    assert (answer.verdict, answer.witness) == (Verdict.UNKNOWN, None)
    assert "solver: crashed" in answer.reason
