from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from soid.errors import InternalError, ModelMismatchError, SolverMissingError
from soid.formula import build as b
from soid.formula.passes import evaluate_all
from soid.formula.sorts import BOOL, FLOAT32, BitVec
from soid.formula.term import Term
from soid.recipe import PAPER, SOID, Mechanisms
from soid.solver.chain import NAMES, Chain, available, chain
from soid.solver.protocol import Budget, Sat, Unsat

BYTE = BitVec(8)
NO_BOXES = SOID.without("boxes").mechanisms
P, X, Y = b.var("p", BOOL), b.var("x", BYTE), b.var("y", BYTE)
F = b.var("f", FLOAT32)


def solver_calls(solver: Chain) -> int:
    return sum(tally.calls for tally in solver.statistics.solvers.values())


def test_installed_solvers_have_versions() -> None:
    assert tuple(available()) == NAMES
    assert all(version[0].isdigit() for version in available().values())


@pytest.mark.parametrize("names", [("yices",), ("z3", "boolector"), ()])
def test_a_solver_that_is_not_there_is_an_error_with_a_remedy(names: tuple[str, ...]) -> None:
    with pytest.raises(SolverMissingError) as caught:
        chain(names)
    assert all(name in caught.value.remedy for name in NAMES)


def test_one_solver_is_not_cross_checked() -> None:
    with pytest.raises(SolverMissingError, match="cross-checked"):
        chain(("z3",), cross_check=True)


@pytest.mark.parametrize("names", [*((name,) for name in NAMES), NAMES])
def test_questions_are_answered(names: tuple[str, ...]) -> None:
    solver = chain(names)
    assert isinstance(solver.check([b.bvult(X, Y), b.bvult(Y, X)]), Unsat)
    result = solver.check([b.bvult(X, Y), b.fp_lt(F, F)])
    assert isinstance(result, Unsat)
    result = solver.check([b.bvult(X, Y), b.fp_is_nan(F)])
    assert isinstance(result, Sat)
    assert result.model[F] == FLOAT32.nan
    solver.close()


def test_what_needs_no_solver_reaches_none() -> None:
    solver = chain(mechanisms=NO_BOXES)
    solver.check([P, b.not_(P)])
    solver.check([b.eq(X, b.const(BYTE, 3)), b.bvult(X, b.const(BYTE, 4))])
    assert solver_calls(solver) == 0
    solver.check([b.bvult(X, Y)])
    solver.check([b.bvult(X, Y)])
    solver.check([b.bvult(X, Y), b.or_(P, b.not_(b.eq(X, Y)))])
    assert solver_calls(solver) == 1
    assert solver.statistics.solvers["bitwuzla"].sat == 1
    assert solver.statistics.questions.calls == 5
    solver.close()


def test_what_is_large_goes_to_a_process_and_back() -> None:
    word = BitVec(64)
    x, term = b.var("x", word), b.var("x", word)
    for factor in range(3, 43, 2):
        term = b.bvmul(term, b.const(word, factor))
    solver = chain()
    result = solver.check([b.eq(term, x), b.not_(b.eq(x, b.const(word, 0)))], budget=Budget(60))
    assert isinstance(result, Sat)
    assert solver.statistics.of("bitwuzla").calls == 0
    assert solver.statistics.of("race(bitwuzla, z3, cvc5)").sat == 1
    solver.close()


def test_every_query_is_logged_on_request(tmp_path: Path) -> None:
    solver = chain(log_folder=tmp_path, mechanisms=NO_BOXES)
    for question in ([P, b.not_(P)], [b.bvult(X, Y)], [b.bvult(X, Y)], [b.bvult(X, Y), b.not_(b.eq(X, Y))]):
        solver.check(question)
    assert solver_calls(solver) == 1  # the others are settled by folding, the cache and the model at hand
    texts = [path.read_text() for path in sorted(tmp_path.iterdir())]
    assert [text.split(":status ")[1].split(")")[0] for text in texts] == ["unsat", "sat", "sat", "sat"]
    solver.close()


def test_a_cross_checked_chain_asks_all() -> None:
    solver = chain(cross_check=True)
    assert isinstance(solver.check([b.bvult(X, Y)]), Sat)
    assert isinstance(solver.check([b.bvult(X, Y), b.bvult(Y, X)], budget=Budget(30)), Unsat)
    assert {name: tally.calls for name, tally in solver.statistics.solvers.items()} == dict.fromkeys(NAMES, 2)
    solver.close()


@pytest.mark.parametrize("error", [InternalError, ModelMismatchError])
def test_a_wrong_solver_is_never_an_answer(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    import soid.solver.bitwuzla as back_end

    if error is ModelMismatchError:
        monkeypatch.setattr(back_end.BitwuzlaNative, "value", lambda self, variable, sort: 0)
        with pytest.raises(error, match="bitwuzla"):
            chain(mechanisms=NO_BOXES).check([b.bvult(X, Y)])
    else:
        monkeypatch.setattr(
            "soid.solver.solver_process.SolverProcess.check",
            lambda self, *_: Sat({X: 0, Y: 1}) if self.name == "z3" else Unsat(),
        )
        with pytest.raises(error, match="bitwuzla says unsat, z3 says sat"):
            chain(("bitwuzla", "z3"), cross_check=True).check([b.bvult(X, Y)])


def test_what_boxes_settle_reaches_no_solver() -> None:
    solver = chain()
    assert isinstance(solver.check([b.bvult(X, Y)]), Sat)
    assert solver.statistics.boxes.sat == 1
    assert solver_calls(solver) == 0
    solver.close()


@pytest.mark.parametrize("mechanisms", [SOID.mechanisms, NO_BOXES], ids=["boxes", "solvers"])
def test_the_chain_agrees_with_all_values(mechanisms: Mechanisms) -> None:
    """Hundreds of related questions, so that folding, cache and reuse all have their turn."""
    small = BitVec(3)
    one, two = b.var("one", small), b.var("two", small)
    rng = random.Random(3)
    atoms: list[Term] = [
        comparison(side, b.const(small, rng.randrange(8)))
        for side in (one, two, b.bvadd(one, two), b.bvmul(one, two))
        for comparison in (b.bvult, b.bvslt, b.eq)
    ]
    atoms += [b.not_(atom) for atom in atoms] + [b.or_(*rng.sample(atoms, 2)) for _ in range(6)]
    solver, question = chain(mechanisms=mechanisms), list[Term]()
    for _ in range(300):
        del question[rng.randrange(len(question) + 1) :]
        question += rng.sample(atoms, rng.randrange(1, 3))
        terms = [*question, *rng.sample(atoms, rng.randrange(3))]
        possible = any(all(evaluate_all(terms, {one: i, two: j})) for i in range(8) for j in range(8))
        result = solver.check(terms)
        if possible:
            assert isinstance(result, Sat)
            assert all(evaluate_all(terms, result.model))
        else:
            assert isinstance(result, Unsat)
    asked = solver_calls(solver) + solver.statistics.boxes.calls
    assert 0 < asked < 200
    solver.close()


def test_making_a_chain_loads_no_solver() -> None:
    program = (
        "import sys; from soid.solver.chain import chain, available; chain(); available();"
        "print([name for name in ('bitwuzla', 'z3', 'cvc5') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "[]\n"


def test_a_chain_without_its_mechanisms_asks_the_solver_everything() -> None:
    questions = [[P, b.not_(P)], [b.bvult(X, Y)], [b.bvult(X, Y)], [b.bvult(X, Y), b.not_(b.eq(X, Y))]]
    bare = chain(("z3",), mechanisms=PAPER.mechanisms)
    results = [bare.check(question, budget=Budget(60)) for question in questions]
    assert [type(result) for result in results] == [Unsat, Sat, Sat, Sat]
    assert bare.statistics.of("z3").calls == len(questions)
    bare.close()


@pytest.mark.parametrize(("name", "asked"), [("folding", 2), ("cache", 1), ("model_reuse", 2)])
def test_a_mechanism_of_the_chain_can_be_left_out(name: str, asked: int) -> None:
    solver = chain(mechanisms=SOID.without(name, "boxes").mechanisms)
    solver.check([P, b.not_(P)])
    solver.check([b.bvult(X, Y)])
    solver.check([b.bvult(X, Y), b.not_(b.eq(X, Y))])
    assert solver_calls(solver) == asked
    solver.close()


def test_a_model_is_evaluated_whatever_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    import soid.solver.bitwuzla as back_end

    monkeypatch.setattr(back_end.BitwuzlaNative, "value", lambda self, variable, sort: 0)
    with pytest.raises(ModelMismatchError, match="bitwuzla"):
        chain(("bitwuzla",), mechanisms=PAPER.mechanisms).check([b.bvult(X, Y)])
