"""Questions about a log that is rounded, against brute force over all that rounds to it."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path as File
from typing import Any, final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.assumptions import Assumption
from soid.case.facts import fact_of
from soid.case.project import Project
from soid.case.record.entry import canonical
from soid.case.stored_answer import keep, recall
from soid.documents import json_of
from soid.engine.protocol import Engine, Exploration
from soid.engine.summary import (
    Decided,
    Failed,
    Location,
    OutputValue,
    Path,
    PathSummary,
    Undecided,
    Unexplored,
    assuming,
)
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT16
from soid.formula.term import Term
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Context, Settings
from soid.oracle.pipeline import answer
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, constant, parse
from soid.query.language.query_parser import parse as question
from soid.scenario.precision import rounding_to
from soid.scenario.trace import Keyframe
from soid.solver.chain import chain
from soid.solver.protocol import Solver
from tests.unit.scenario.test_precision import rounds_to

HALF = FloatType(FLOAT16)
MOVES = EnumType("move", 2, False, (("STAY", 0), ("GO", 1), ("TURN", 2)))

INTERFACE = Interface((
    Variable("x", Role.ENVIRONMENT, HALF, decimals=2),
    Variable("y", Role.STATE, HALF, decimals=1),
    Variable("lit", Role.ENVIRONMENT, BoolType()),
    Variable("move", Role.DECISION, MOVES),
    Variable("brake", Role.DECISION, HALF, decimals=1),
))  # fmt: skip
X, Y, LIT = INTERFACE.inputs

BROKEN = Failed("division by zero", Location("a.c", 3))


@final
@dataclass
class GivenEngine(Engine):
    """Paths that are given."""

    paths: Sequence[Path]
    name: str = "given"

    def explore(self, exploration: Exploration) -> PathSummary:
        fixed = {
            v.symbol: build.const(v.symbol.sort, exploration.fixed[v.path])
            for v in INTERFACE.inputs
            if v.path in exploration.fixed
        }
        return PathSummary(tuple(assuming(self.paths, fixed)))


def path(name: str, condition: Term, ending: Any, move: str = "STAY", brake: Term = X.reading) -> Path:
    if not isinstance(ending, Decided):
        return Path(name, condition, ending)
    outputs = {
        "move": OutputValue(constant(MOVES, parse(MOVES, move))),
        "brake": OutputValue(brake),
        "y'": OutputValue(Y.reading),
    }
    return Path(name, condition, ending, outputs)


def cuts(low: str, high: str, endings: Sequence[tuple[Any, str]]) -> tuple[Path, ...]:
    """Below a number one thing, from another on another, and in between a third."""
    below = build.fp_lt(X.reading, constant(HALF, parse(HALF, low)))
    above = build.fp_leq(constant(HALF, parse(HALF, high)), X.reading)
    between = build.and_(build.not_(below), build.not_(above))
    conditions = (below, between, build.and_(above, build.not_(below)))
    return tuple(
        path(str(i), c, ending, move) for i, (c, (ending, move)) in enumerate(zip(conditions, endings, strict=True))
    )


@pytest.fixture(scope="module")
def solver() -> Iterator[Solver]:
    made = chain(("bitwuzla",))
    yield made
    made.close()


def keyframe(x: str, y: str, logged: Mapping[str, str]) -> Keyframe:
    literals = {"x": x, "y": y} | {name: text for name, text in logged.items() if name != "move"}
    decimals = {"x": 2, "y": 1, "brake": 1, "y'": 1}
    rounded = {name: rounding_to(HALF, text, decimals[name]) for name, text in literals.items()}
    decisions = {name: parse(MOVES if name == "move" else HALF, text) for name, text in logged.items()}
    inputs = {"x": parse(HALF, x), "y": parse(HALF, y), "lit": 1}
    kept = {name: one for name, one in rounded.items() if one is not None}
    return Keyframe(0, inputs, decisions, INTERFACE, rounded=kept)


def ask(text: str, moment: Keyframe, paths: Sequence[Path], solver: Solver, **more: Any) -> Answer:
    context = Context(GivenEngine(paths), solver, settings=Settings(**more))
    return answer(question(text, INTERFACE).checked(INTERFACE), moment, context)


# --- brute force ----------------------------------------------------------------------------------------------


@functools.cache
def near(literal: str, decimals: int) -> frozenset[int]:
    """Every float16 that rounds to a literal, found by trying those around it."""
    middle = sf.ordinal(FLOAT16, parse(HALF, literal))
    tried = (sf.from_ordinal(FLOAT16, place) for place in range(middle - 200, middle + 201))
    return frozenset(bits for bits in tried if rounds_to(bits, Decimal(literal), decimals))


def outcomes(paths: Sequence[Path], x: str) -> list[tuple[str, int | None]]:
    """How the program ends, and what move it makes, on each state that rounds to the log; y does not matter."""
    found = []
    for bits in near(x, 2):
        run = PathSummary(tuple(paths)).run({X.symbol: bits, Y.symbol: 0, LIT.symbol: 1})
        found.append((str(run.path.ending), run.outputs.get("move")))
    return found


ENDINGS = [
    (Decided(), "STAY"),
    (Decided(), "GO"),
    (Decided(), "TURN"),
    (BROKEN, ""),
    (Undecided("window"), ""),
]
NUMBERS = [f"{n / 200:.3f}" for n in range(90, 111)]  # around 0.5, at and between what is logged


@settings(max_examples=40)
@given(
    x=st.sampled_from(["0.49", "0.50", "0.5", "0.51"]),
    low=st.sampled_from(NUMBERS),
    high=st.sampled_from(NUMBERS),
    endings=st.lists(st.sampled_from(ENDINGS), min_size=3, max_size=3),
    asked=st.sampled_from(["GO", "STAY"]),
    logged=st.sampled_from([None, "GO", "STAY"]),
)
def test_did_is_what_brute_force_says(x, low, high, endings, asked, logged, solver):
    paths = cuts(low, high, endings)
    moment = keyframe(x, "1.0", {} if logged is None else {"move": logged})
    given_ = ask(f"did move == {asked}", moment, paths, solver)
    states = outcomes(paths, x)
    moves = [move for _, move in states]
    if logged is not None and MOVES.number(logged) not in moves:
        assert given_.verdict is Verdict.ERROR
        assert given_.reason.startswith("log mismatch: the log says move")
        return
    true = [move == MOVES.number(asked) for move in moves]
    if all(true) or not any(true):
        assert given_.verdict is (Verdict.YES if all(true) else Verdict.NO)
        assert given_.contrast is None
        _check_the_fact(given_, moment, states)
    else:
        assert given_.verdict is Verdict.UNKNOWN
        assert given_.reason.startswith("the log does not settle it")
        _check_both_scenarios(given_, paths, x, asked)
    assert [freed.variable.path for freed in given_.freed] == ["x", "y"]


def _check_the_fact(given_: Answer, moment: Keyframe, states: Sequence[tuple[str, int | None]]) -> None:
    """What is recorded is true of every state that rounds to the log."""
    fact = fact_of(given_, moment)
    assert fact is not None
    kinds = {ending for ending, _ in states}
    if given_.verdict is Verdict.YES:
        assert fact["occurs"] == "yes"
    elif kinds == {"decides"}:
        assert (fact["occurs"], fact["instead"]) == ("no", "decides otherwise")
    else:
        assert fact["occurs"] == "neither"
        assert ("decides otherwise" in fact["instead"]) == ("decides" in kinds)
        assert ("fails" in fact["instead"]) == (str(BROKEN) in kinds)


def _check_both_scenarios(given_: Answer, paths: Sequence[Path], x: str, asked: str) -> None:
    first, second = given_.witness, given_.contrast
    assert first is not None and second is not None
    does = []
    for witness in (first, second):
        assert witness.inputs["x"] in near(x, 2)
        assert witness.inputs["y"] in near("1.0", 1) and witness.inputs["lit"] == 1
        values = {v.symbol: witness.inputs[v.path] for v in INTERFACE.inputs}
        run = PathSummary(tuple(paths)).run(values)
        assert (run.path.ending, run.outputs) == (witness.ending, witness.outputs)
        does.append(run.outputs.get("move") == MOVES.number(asked))
    assert does[0] is not does[1]
    assert (first.shows.value, second.shows.value) == (
        ("example", "counterexample") if does[0] else ("counterexample", "example")
    )


@pytest.mark.parametrize(("low", "verdict"), [("0.4951", Verdict.YES), ("0.5", Verdict.UNKNOWN), ("0.51", Verdict.NO)])
def test_an_answer_that_the_log_leaves_open_is_kept_whole(low, verdict, solver):
    moment = keyframe("0.50", "1.0", {})
    given_ = ask(
        "did move == GO", moment, cuts(low, "9", [(Decided(), "STAY"), (Decided(), "GO"), (BROKEN, "")]), solver
    )
    assert given_.verdict is verdict
    again = recall(json.loads(canonical(keep(given_))), moment)
    assert (again.witness, again.contrast, again.freed, again.instead) == (
        given_.witness,
        given_.contrast,
        given_.freed,
        given_.instead,
    )
    assert {**json_of(again.document), "seconds": 0} == {**json_of(given_.document), "seconds": 0}


# --- decisions that are logged rounded ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "brake", "verdict"),
    [
        ("0.55", "0.5", Verdict.YES),  # 0.545 to 0.555 round to 0.5 and to 0.6
        ("0.55", "0.6", Verdict.YES),
        ("0.55", "0.7", Verdict.ERROR),
        ("0.52", "0.6", Verdict.ERROR),
        ("0.52", "0.5", Verdict.YES),
    ],
)
def test_a_rounded_decision_agrees_with_all_that_rounds_to_it(x, brake, verdict, solver):
    paths = [path("1", build.TRUE, Decided())]  # brake is x
    given_ = ask("did brake > 0", keyframe(x, "1.0", {"brake": brake}), paths, solver)
    assert given_.verdict is verdict


def test_that_the_logged_values_differ_and_others_do_not_is_said(solver):
    paths = cuts("0.5", "9", [(Decided(), "STAY"), (Decided(), "GO"), (BROKEN, "")])
    given_ = ask("did decides", keyframe("0.50", "1.0", {"move": "STAY"}), paths, solver)
    assert given_.verdict is Verdict.YES
    assert given_.relies_on[0] == Assumption(
        "rounded-alike",
        "on the logged values the log says move = STAY, the program gives GO; "
        "a state that rounds to them gives what is logged",
    )


def test_unexplored_states_are_no_mismatch(solver):
    """On the logged values log and program differ; the states below them are unexplored."""
    dark = Unexplored("a loop without bound")
    paths = cuts("0.5", "9", [(dark, ""), (Decided(), "GO"), (BROKEN, "")])
    moment = keyframe("0.50", "1.0", {"move": "STAY"})
    given_ = ask("did decides", moment, paths, solver)
    assert (given_.verdict, given_.reason.partition(":")[0]) == (Verdict.UNKNOWN, "the log was not checked")
    assert ask("did move == GO", moment, paths, solver, accept_log_mismatch=True).verdict is Verdict.UNKNOWN
    with_nothing_logged = ask("did decides", keyframe("0.50", "1.0", {}), paths, solver)
    assert with_nothing_logged.verdict is Verdict.UNKNOWN


def test_the_factual_value_of_a_decision_that_is_logged_rounded_is_what_the_program_gives(solver):
    """On 0.33 the program brakes by 0.33, which is logged as 0.3: it did not brake harder than it did."""
    paths = cuts("0", "9", [(BROKEN, ""), (Decided(), "GO"), (BROKEN, "")])
    moment = keyframe("0.33", "1.0", {"move": "GO", "brake": "0.3"})
    exact = replace(moment, rounded={"brake": moment.rounded["brake"]})
    assert ask("did brake == fact(brake)", exact, paths, solver).verdict is Verdict.YES
    assert ask("did brake > fact(brake)", exact, paths, solver).verdict is Verdict.NO
    assert ask("would brake == fact(brake) if lit is anything", exact, paths, solver).verdict is Verdict.YES
    for behavior in ("brake == fact(brake)", "brake > fact(brake)", "brake < fact(brake)"):
        assert ask(f"did {behavior}", moment, paths, solver).verdict is Verdict.UNKNOWN, behavior
    assert ask("would brake == fact(brake) if lit is anything", moment, paths, solver).verdict is Verdict.YES


def test_a_factual_value_that_only_another_state_gives_settles_nothing(solver):
    """Braking by x + y: on 0.12 and 0.1 that is no 0.3, where they are more it is; and it did not brake less."""
    paths = (path("1", build.TRUE, Decided(), "GO", brake=build.fp_add(X.reading, Y.reading)),)
    moment = keyframe("0.12", "0.1", {"brake": "0.3"})
    for behavior in ("brake == fact(brake)", "brake < fact(brake)"):
        given_ = ask(f"did {behavior}", moment, paths, solver)
        assert given_.verdict is Verdict.UNKNOWN and "brake" in given_.reason, given_
    given_ = ask("would brake == fact(brake) if lit is anything", moment, paths, solver)
    assert any(each.id == "rounded" and "brake" in each.text for each in given_.relies_on)


# --- counterfactuals ------------------------------------------------------------------------------------------


def test_what_may_have_been_the_fact_is_no_scenario(solver):
    """Just below the logged value it stays, but that rounds to the same: only farther away is a scenario."""
    paths = cuts("0.5", "9", [(Decided(), "STAY"), (Decided(), "GO"), (BROKEN, "")])
    moment = keyframe("0.50", "1.0", {"move": "GO"})
    given_ = ask("might move == STAY if 0.496 <= x <= 0.5", moment, paths, solver)
    assert given_.verdict is Verdict.VACUOUS
    given_ = ask("might move == STAY if 0.4 <= x <= 0.5", moment, paths, solver)
    assert given_.verdict is Verdict.YES and given_.witness is not None
    assert given_.witness.inputs["x"] not in near("0.50", 2)
    assert any(each.id == "rounded" and "x, y" in each.text for each in given_.relies_on)
    # with another variable freed, the rounded one may stay: the light tells the scenario from the fact
    given_ = ask("might move == STAY if 0.496 <= x <= 0.5 and lit is anything", moment, paths, solver)
    assert given_.verdict is Verdict.YES and given_.witness is not None
    assert given_.witness.inputs["lit"] == 0


@pytest.mark.parametrize("asked", ["GO", "STAY"])
def test_would_is_brute_force_without_what_may_have_been_the_fact(asked, solver):
    paths = cuts("0.5", "9", [(Decided(), "STAY"), (Decided(), "GO"), (BROKEN, "")])
    moment = keyframe("0.50", "1.0", {})
    for low, high in itertools.combinations(["0.49", "0.496", "0.503", "0.51"], 2):
        first, last = (sf.ordinal(FLOAT16, parse(HALF, text)) for text in (low, high))
        states = [sf.from_ordinal(FLOAT16, place) for place in range(first, last + 1)]
        family = [bits for bits in states if bits not in near("0.50", 2)]
        runs = [PathSummary(paths).run({X.symbol: bits, Y.symbol: 0, LIT.symbol: 1}) for bits in family]
        does = [run.outputs.get("move") == MOVES.number(asked) for run in runs]
        given_ = ask(f"would move == {asked} if {low} <= x <= {high}", moment, paths, solver)
        expected = Verdict.VACUOUS if not does else Verdict.YES if all(does) else Verdict.NO
        assert given_.verdict is expected, (low, high)


# --- in C, over several steps ---------------------------------------------------------------------------------

GUARD = """
struct memory { float waited; };
int decide(float speed, struct memory *m)
{
    m->waited += 0.5f;
    return speed * m->waited > 1.0f;
}
"""


@pytest.fixture(scope="module")
def guard(tmp_path_factory) -> File:
    project: File = tmp_path_factory.mktemp("guard")
    (project / "guard.c").write_text(GUARD)
    return project


def opened(project: File, speed: str, waited: str, log: list[dict[str, Any]]) -> Project:
    (project / "soid.toml").write_text(
        '[program]\nengine = "c"\nsources = ["guard.c"]\nentry = "decide"\n[trace]\nfile = "log.jsonl"\nkeyframe = 0\n'
        f'[variables]\nspeed = {{ {speed} }}\n"m.waited" = {{ {waited} }}\n'
    )
    (project / "log.jsonl").write_text("".join(json.dumps(step) + "\n" for step in log))
    return Project.open(project)


ROUNDED = "logged = { decimals = 1 }"
LOG = [{"speed": 2.0, "m.waited": 0.0}, {"speed": 1.0, "m.waited": 0.5}, {"speed": 1.0, "m.waited": 1.0}]


def test_a_program_in_c(guard):
    case = opened(guard, ROUNDED, "", LOG)
    given_ = case.ask("did return == 1")  # 2.0 * 0.5 is no more than 1.0, 2.01 * 0.5 is
    assert (given_.verdict, [json_of(freed.document)["over"] for freed in given_.freed]) == (
        Verdict.UNKNOWN,
        ["1.95 to 2.05"],
    )
    assert given_.witness is not None and given_.contrast is not None
    assert (given_.witness.outputs["return"], given_.contrast.outputs["return"]) == (0, 1)
    assert "running the compiled program" in given_.contrast.replayed
    assert case.ask("did return <= 1").verdict is Verdict.YES
    case.solver.close()


def test_rounding_is_followed_over_steps(guard):
    case = opened(guard, "", ROUNDED, LOG)
    assert case.ask("did return == 0 throughout 2 steps").verdict is Verdict.UNKNOWN
    assert case.ask("did m.waited' > 0.4 throughout 3 steps").verdict is Verdict.YES
    case.solver.close()
    case = opened(guard, ROUNDED, "", LOG)
    given_ = case.ask("did m.waited' > 0.4 throughout 3 steps")
    assert given_.verdict is Verdict.YES and given_.witness is not None
    assert [each.variable.path for each in given_.freed] == ["speed", "speed@1", "speed@2"]
    assert case.ask("did return == 1 within 3 steps").verdict is Verdict.YES  # in the third, whatever the digits
    open_ = case.ask("did return == 1 within 2 steps")
    assert open_.verdict is Verdict.UNKNOWN and open_.witness is not None and open_.contrast is not None
    assert open_.contrast.inputs != open_.witness.inputs
    case.solver.close()


@pytest.mark.parametrize("logged", [{}, {"move": "GO"}])
def test_a_scenario_that_depends_on_digits_that_are_not_logged_is_unknown(logged, solver):
    """It goes from 0.5 on where the light is off: 0.50 stands for less, too, unless the log says that it went."""
    paths = cuts("0.5", "9", [(Decided(), "STAY"), (Decided(), "GO"), (BROKEN, "")])
    for text in ("would move == GO if lit is anything", "might move == STAY if lit is anything"):
        given_ = ask(text, keyframe("0.50", "1.0", logged), paths, solver)
        if logged:  # no value below 0.5 gives what is logged
            assert given_.verdict.is_definite
            continue
        assert given_.verdict is Verdict.UNKNOWN and given_.witness is None
        assert given_.reason.startswith("the log does not settle it: it depends on digits of x that are not logged: ")
        assert any(each.id == "rounded" for each in given_.relies_on)
    for text in ("would move == GO if lit is anything", "might move == GO if x == 0.7 and lit is anything"):
        assert ask(text, keyframe("0.60", "1.0", logged), paths, solver).verdict is Verdict.YES
