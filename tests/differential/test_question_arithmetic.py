"""Questions that compute, against trying every state: the solvers one by one, and the oracle with its verdicts."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from soid.case.project import Project
from soid.errors import QueryError
from soid.formula import build
from soid.formula.build import FALSE, TRUE, var
from soid.formula.passes import evaluate_all
from soid.formula.sorts import FLOAT32, BitVec
from soid.formula.term import Term
from soid.oracle.inquiry import Settings
from soid.program.types import FloatType, IntType, VariableType, symbol_sort
from soid.query.behavior import Behavior
from soid.query.language.query_parser import parse, parse_behavior
from soid.query.language.query_printer import to_text
from soid.query.query import Query, QueryKind
from soid.scenario import expression as ex
from soid.scenario.expression import Comparison, Expression, Literal, Name
from soid.scenario.kleene_terms import Operand, lower
from soid.scenario.supposition import Anything, Satisfies
from soid.solver.back_ends import NAMES, in_process
from soid.solver.protocol import Budget, Reason, Sat, Unknown
from tests.unit.scenario.python_numbers import compared, nodes
from tests.unit.scenario.test_number_terms import Symbols as Wide

TYPES: dict[str, VariableType] = {
    "i": IntType(8, signed=True),
    "n": IntType(8, signed=False),
    "f": FloatType(FLOAT32),
}
VALUES: dict[str, tuple[int | float, ...]] = {"i": (-3, -1, 0, 2, 5), "n": (0, 1, 4, 7), "f": (-1.5, -0.0, 0.1, 3.0)}
FLOATS = {-1.5: 0xBFC00000, -0.0: 0x80000000, 0.1: 0x3DCCCCCD, 3.0: 0x40400000}

leaves = st.sampled_from([Name("i"), Name("n")]) | st.sampled_from(["-2", "0", "1", "3", "0.5", "2.34"]).map(Literal)
comparisons = st.tuples(
    st.recursive(leaves, nodes, max_leaves=3),
    st.sampled_from(Comparison),
    st.recursive(leaves | st.just(Name("f")), nodes, max_leaves=2),
)


def bits(name: str, value: float) -> int:
    return FLOATS[value] if name == "f" else int(value) & 0xFF


def states(names: str) -> list[dict[str, int | float]]:
    return [dict(zip(names, each, strict=True)) for each in itertools.product(*(VALUES[name] for name in names))]


class Symbols:
    fails, decides = FALSE, TRUE

    def read(self, name: str, primed: bool, /) -> Operand:
        return Operand(TYPES[name], var(name, symbol_sort(TYPES[name])))

    def fact(self, name: str, primed: bool, /) -> Operand:
        return self.read(name, primed)

    def enumerators(self, label: str, /) -> tuple[tuple[str, int], ...]:
        return ()


def single(value: float) -> float:
    return 0.10000000149011612 if value == 0.1 else value  # as the bits above have it


def said(comparison: tuple[Expression, Comparison, Expression], state: Mapping[str, int | float]) -> bool | None:
    return compared(*comparison, {name: single(value) if name == "f" else value for name, value in state.items()})


@settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
@given(comparisons)
def test_every_solver_finds_what_trying_every_state_finds(
    comparison: tuple[Expression, Comparison, Expression],
) -> None:
    left, sign, right = comparison
    try:
        truth = lower(ex.Compare(left, ((sign, right),)), Symbols())
    except QueryError:
        assume(False)
    every = states("inf")
    domain = [build.any_of(_is(name, value) for value in VALUES[name]) for name in TYPES]
    found = {said(comparison, state) for state in every}
    neither = build.and_(build.not_(truth.true), build.not_(truth.false))
    for wanted, where in ((True, truth.true), (False, truth.false), (None, neither)):
        for name in NAMES:
            answer = in_process(name).check([*domain, where], budget=Budget(20.0))
            if isinstance(answer, Unknown):
                assert answer.reason in (Reason.UNSUPPORTED, Reason.TIME)
                continue
            assert isinstance(answer, Sat) is (wanted in found), name
            if isinstance(answer, Sat):
                assert all(evaluate_all([*domain, where], answer.model))


def _is(name: str, value: float) -> Term:
    sort = symbol_sort(TYPES[name])
    assert isinstance(sort, BitVec)
    return build.eq(var(name, sort), build.const(sort, bits(name, value)))


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("q == d and q > 9007199254740993", True),
        ("q == d and q == 9007199254740993", False),  # no double is this number
        ("q < d and not (float64(q) < d)", True),
        ("q / 3 == d and 10 < q < 1000000", True),
        ("q / 7 > d and d > 3.25 and q < 23", False),
        pytest.param("float32(q / 3) == 0.1", False, marks=pytest.mark.soak),  # takes a solver seconds to refute
        ("float32(q / 10) == 0.1", True),
        ("q * d > 100 and 0 < q < 10 and 0 < d < 5", False),
        ("q // n == 7 and q % n == 3", True),
        ("q // n == 7 and q % n == n", False),
        ("int64(d) == q and q > 4611686018427387904 and d < 4611686018427390000", True),
        ("q << n == 1024 and n < 20 and q > 0", True),
        ("q & n > n", False),
        ("min(q, n) > max(q, n)", False),
    ],
)
def test_solvers_agree_on_wide_numbers(text: str, possible: bool) -> None:
    truth = lower(parse_behavior(text).expression, Wide())
    answers = [in_process(name).check([truth.true], budget=Budget(60.0)) for name in NAMES]
    known = [answer for answer in answers if not isinstance(answer, Unknown)]
    assert known and all(isinstance(answer, Sat) is possible for answer in known)
    assert all(evaluate_all([truth.true], answer.model) == [True] for answer in known if isinstance(answer, Sat))


# --- the oracle -------------------------------------------------------------------------------------------------

MANIFEST = """
[program]
engine = "smtlib"
paths = ["paths"]

[variables]
i = { role = "environment", type = "int8", domain = { values = [-3, -1, 0, 2, 5] } }
n = { role = "environment", type = "uint8", domain = { values = [0, 1, 4, 7] } }
out = { role = "decision", type = "int8" }

[trace]
file = "log.jsonl"
"""
PATH = """
(declare-const i (_ BitVec 8))
(declare-const n (_ BitVec 8))
(declare-const out (_ BitVec 8))
(assert (= out i))
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("arithmetic")
    (folder / "paths").mkdir()
    (folder / "paths" / "one.smt2").write_text(PATH)
    (folder / "log.jsonl").write_text(json.dumps({"i": 2, "n": 4, "out": 2}) + "\n")
    (folder / "soid.toml").write_text(MANIFEST)
    return Project.open(folder, settings=Settings(seconds=60.0, witness_seconds=0.5))


asked = st.tuples(
    st.recursive(leaves | st.just(Name("out")), nodes, max_leaves=3),
    st.sampled_from(Comparison),
    st.recursive(leaves, nodes, max_leaves=2),
)


@settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.sampled_from([QueryKind.WOULD, QueryKind.MIGHT]), asked, asked | st.none())
def test_the_oracle_says_what_trying_every_state_says(
    project: Project,
    kind: QueryKind,
    behavior: tuple[Expression, Comparison, Expression],
    supposed: tuple[Expression, Comparison, Expression] | None,
) -> None:
    assume(supposed is None or not any(node == Name("out") for each in supposed[::2] for node in ex.walk(each)))
    free = (Anything("i"), Anything("n"))
    more = () if supposed is None else (Satisfies(_formula(supposed)),)
    query = Query(kind, Behavior(_formula(behavior)), (*free, *more))
    interface = project.keyframe.interface
    try:
        assert parse(to_text(query), interface) == query
    except QueryError:
        assume(False)
    family = [
        state
        for state in states("in")
        if state != {"i": 2, "n": 4} and (supposed is None or said(supposed, state) is True)
    ]
    truths = [said(behavior, {**state, "out": state["i"]}) for state in family]
    answers = all(truth is True for truth in truths) if kind is QueryKind.WOULD else True in truths
    expected = "vacuous" if not family else "yes" if answers else "no"
    assert project.ask(query).verdict.value == expected, to_text(query)


def _formula(comparison: tuple[Expression, Comparison, Expression]) -> Expression:
    left, sign, right = comparison
    return ex.Compare(left, ((sign, right),))
