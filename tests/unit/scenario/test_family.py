from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.errors import QueryError, TraceError
from soid.formula import softfloat as sf
from soid.formula.build import FALSE, TRUE
from soid.formula.passes import evaluate, free_variables
from soid.formula.sorts import FLOAT16, FLOAT32
from soid.program import domain as domains
from soid.program.domain import Range, Values
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType
from soid.query.language.query_parser import parse
from soid.scenario.expression import And, Compare, Comparison, Expression, FactOf, Literal, Member, Name, Not, Or
from soid.scenario.family import Family
from soid.scenario.supposition import AnyBits, Anything, Keep, Satisfies, Supposition, Within
from tests.randomness import SEEDED

SIGNAL = EnumType("signal", 2, False, (("OFF", 0), ("LEFT", 1), ("RIGHT", 2)))

INTERFACE = Interface(
    (
        Variable("error", Role.ENVIRONMENT, BoolType()),
        Variable("n", Role.ENVIRONMENT, IntType(2, signed=False)),
        Variable("signal", Role.ENVIRONMENT, SIGNAL),
        Variable("k", Role.STATE, IntType(2, signed=True), domain=Range(0, 1)),
        Variable("move", Role.DECISION, BoolType()),
    )
)
FACT = {"error": 0, "n": 2, "signal": 1, "k": 3}
STATES = [dict(zip(FACT, bits, strict=True)) for bits in product((0, 1), range(4), range(4), range(4))]


def compare(left: Expression, sign: str, right: Expression) -> Expression:
    return Compare(left, ((Comparison(sign), right),))


def one(variable: Variable) -> Interface:
    return Interface((variable,))


# --- against brute force ----------------------------------------------------------------------------------------

atoms: list[tuple[Supposition, object]] = [
    (Anything("error"), lambda s: True),
    (Anything("n"), lambda s: True),
    (Anything("k"), lambda s: True),
    (AnyBits("signal"), lambda s: True),
    (Satisfies(Name("error")), lambda s: bool(s["error"])),
    (Satisfies(Not(Name("error"))), lambda s: not s["error"]),
    (Satisfies(compare(Name("n"), "<=", Literal("1"))), lambda s: s["n"] <= 1),
    (Satisfies(compare(Name("n"), ">", FactOf("n"))), lambda s: s["n"] > FACT["n"]),
    (Satisfies(Member(Name("signal"), (Name("OFF"), Name("RIGHT")))), lambda s: s["signal"] in (0, 2)),
    (Satisfies(compare(Name("k"), "<", Name("n"))), lambda s: (s["k"] if s["k"] < 2 else s["k"] - 4) < s["n"]),
    (
        Satisfies(Or((Name("error"), And((Name("n"), compare(Name("k"), "==", Literal("0"))))))),
        lambda s: bool(s["error"] or (s["n"] and s["k"] == 0)),
    ),
    (Within("n", "1.5"), lambda s: abs(s["n"] - FACT["n"]) <= 1.5),
]
MENTIONS = [{"error"}, {"n"}, {"k"}, {"signal"}, {"error"}, {"error"}, {"n"}, {"n"}, {"signal"}, {"k", "n"}]
MENTIONS += [{"error", "n", "k"}, {"n"}]


@given(
    st.lists(st.integers(0, len(atoms) - 1), max_size=4),
    st.lists(st.sampled_from(["error", "n", "signal"]), max_size=1),
)
def test_the_family_is_what_brute_force_finds(chosen: list[int], kept: list[str]) -> None:
    supposed = [atoms[index][0] for index in chosen]
    varied = {each.path for each in supposed if isinstance(each, Anything | AnyBits | Within)}
    kept = [path for path in kept if path not in varied]
    family = Family(INTERFACE, FACT, (*supposed, *map(Keep, kept)))
    free = set().union(*(MENTIONS[index] for index in chosen)) - set(kept)
    assert set(family.freed) == free and set(family.fixed) == set(FACT) - free
    assert {term.name for term in free_variables([family.precondition, family.puncture])} <= free
    for state in STATES:
        expected = (
            all(state[path] == FACT[path] for path in set(FACT) - free)
            and any(state[path] != FACT[path] for path in free)
            and all(state[path] in (0, 1) for path in {"k"} & free)
            and (state["signal"] != 3 or AnyBits("signal") in supposed)
            and all(atoms[index][1](state) for index in chosen)  # type: ignore[operator]
        )
        assert family.contains(state) is expected


# --- the puncture -----------------------------------------------------------------------------------------------


def test_the_puncture_compares_bits() -> None:
    interface = one(Variable("x", Role.ENVIRONMENT, FloatType(FLOAT32)))
    zero = Family(interface, {"x": 0}, (Anything("x"),))
    assert zero.contains({"x": 0x80000000}) and not zero.contains({"x": 0})
    nan = Family(interface, {"x": 0x7FC00000}, (AnyBits("x"),))
    assert nan.contains({"x": 0x7FC00001}) and not nan.contains({"x": 0x7FC00000})
    finite = Family(interface, {"x": 0x7FC00000}, (Anything("x"),))
    assert not finite.contains({"x": 0x7FC00001}) and finite.contains({"x": 0})


def test_nothing_freed_leaves_nothing() -> None:
    for supposed in ((), (Keep("error"),), (Satisfies(Name("error")), Keep("error"))):
        family = Family(INTERFACE, FACT, supposed)
        assert family.puncture is FALSE and not family.freed and family.fixed == FACT
        assert not any(map(family.contains, STATES))


def test_a_formula_over_what_is_kept_is_settled_by_the_fact() -> None:
    kept = Family(INTERFACE, FACT, (Satisfies(Name("error")), Keep("error"), Anything("n")))
    assert kept.precondition is FALSE
    assert [(conjunct.label, conjunct.term) for conjunct in kept.conjuncts] == [("error", FALSE)]


# --- words ------------------------------------------------------------------------------------------------------


def test_each_condition_is_called_what_a_person_wrote() -> None:
    interface = Interface(
        (
            Variable("signal", Role.ENVIRONMENT, SIGNAL),
            Variable("x", Role.ENVIRONMENT, FloatType(FLOAT32), unit="m", domain=Range(0, 0x3FC00000)),
            Variable("y", Role.ENVIRONMENT, FloatType(FLOAT32)),
            Variable("b", Role.ENVIRONMENT, BoolType()),
            Variable("c", Role.ENVIRONMENT, IntType(8, signed=True), domain=Values((1, 255))),
        )
    )
    supposed = (
        Anything("signal"),
        Satisfies(compare(Name("x"), ">", Literal("0.5"))),
        Within("y", "1"),
        Anything("b"),
        Anything("c"),
    )
    family = Family(interface, dict.fromkeys(["signal", "x", "y", "b", "c"], 0), supposed)
    assert [conjunct.label for conjunct in family.conjuncts] == [
        "signal ranges over: OFF, LEFT, RIGHT",
        "x ranges over: 0.0 to 1.5 m",
        "y ranges over: every finite number",
        "c ranges over: 1, -1",
        "x > 0.5",
        "y within 1 of fact",
    ]
    assert family.freed["x"] == Range(0, 0x3FC00000)
    wide = Family(interface, family.fact, (AnyBits("x"),))
    assert wide.freed == {"x": domains.AnyBitsDomain()}
    assert wide.precondition is TRUE


# --- nearness ---------------------------------------------------------------------------------------------------

HALF = one(Variable("h", Role.ENVIRONMENT, FloatType(FLOAT16)))
finite_halves = st.integers(0, 0xFFFF).filter(lambda bits: bits & 0x7C00 != 0x7C00)
distances = st.decimals(0, 70000, allow_nan=False, places=4).map(str) | st.sampled_from(["0", "0.1", "1e-7", "1e9"])


@given(finite_halves, distances, st.booleans(), SEEDED)
def test_within_is_exactly_the_values_that_near(fact: int, distance: str, share: bool, random: object) -> None:
    family = Family(HALF, {"h": fact}, (AnyBits("h"), Within("h", f"{distance} %" if share else distance)))
    symbol = HALF.variable("h").symbol
    middle, reach = sf.to_fraction(FLOAT16, fact), Fraction(distance)
    reach = reach / 100 * abs(middle) if share else reach
    # Every value near the two ends, and some of the others, including NaN and infinities.
    low, high = (sf.from_fraction(FLOAT16, end) for end in (middle - reach, middle + reach))
    around = {(bits + step) & 0xFFFF for bits in (low, high, fact) for step in range(-3, 4)}
    for bits in around | set(range(0, 0x10000, 509)) | {0, 0x8000, 0x7C00, 0xFC00, 0x7E00}:
        near = bits & 0x7C00 != 0x7C00 and abs(sf.to_fraction(FLOAT16, bits) - middle) <= reach
        assert evaluate(family.precondition, {symbol: bits}) is near


@given(st.integers(-128, 127), st.fractions(0, 300, max_denominator=4))
def test_within_for_whole_numbers(fact: int, reach: Fraction) -> None:
    interface = one(Variable("i", Role.ENVIRONMENT, IntType(8, signed=True)))
    family = Family(interface, {"i": fact & 0xFF}, (Within("i", str(float(reach))),))
    inside = {value for value in range(-128, 128) if family.contains({"i": value & 0xFF})}
    expected = range(max(-128, math.ceil(fact - reach)), min(127, math.floor(fact + reach)) + 1)
    assert inside == set(expected) - {fact}


@pytest.mark.parametrize(("fact", "share", "inside"), [(-50, "10", range(-55, -44)), (9, "10", [9]), (0, "90", [0])])
def test_a_share_of_a_whole_number(fact: int, share: str, inside: Sequence[int]) -> None:
    interface = one(Variable("i", Role.ENVIRONMENT, IntType(8, signed=True)))
    family = Family(interface, {"i": fact & 0xFF}, (Within("i", f"{share} %"),))
    found = {value for value in range(-128, 128) if family.contains({"i": value & 0xFF}, punctured=False)}
    assert found == set(inside)


@pytest.mark.parametrize("bits", [0x7C00, 0xFC00, 0x7E00])
def test_nothing_is_near_to_what_is_no_number(bits: int) -> None:
    with pytest.raises(QueryError, match="nothing is near to the fact"):
        Family(HALF, {"h": bits}, (Within("h", "1"),))


def test_a_fact_must_have_every_input() -> None:
    with pytest.raises(TraceError, match="no value of k"):
        Family(INTERFACE, {"error": 0, "n": 0, "signal": 0}, ())


# --- variables with one possible value ---------------------------------------------------------------------------


def test_a_variable_with_one_value_left_is_given_and_no_longer_in_the_formulas() -> None:
    family = Family(INTERFACE, FACT, (Satisfies(compare(Name("n"), "==", Literal("1"))), Anything("signal")))
    assert list(family.freed) == ["n", "signal"]  # both are freed, although n has one possible value
    assert family.given == {"error": 0, "n": 1, "k": 3}
    assert [v.path for v in family.varying] == ["signal"]
    precondition, puncture = family.scenarios
    assert {v.name for v in free_variables([precondition])} == {"signal"}
    assert puncture is TRUE  # n differs from the fact


def test_one_value_outside_the_domain_or_two_at_once_leave_no_scenario() -> None:
    outside = Family(INTERFACE, FACT, (Satisfies(compare(Name("k"), "==", Literal("-1"))),))
    assert outside.scenarios[0] is FALSE
    equal = [Satisfies(compare(Name("n"), "==", Literal(each))) for each in ("1", "3")]
    assert Family(INTERFACE, FACT, tuple(equal)).scenarios[0] is FALSE


def test_one_value_that_is_the_factual_one_leaves_no_scenario_but_the_fact() -> None:
    family = Family(INTERFACE, FACT, (Satisfies(compare(Name("n"), "==", Literal("2"))),))
    assert family.scenarios == (TRUE, FALSE)


def test_without_pinning_the_same_family_has_nothing_given_but_the_rest() -> None:
    supposed = (Satisfies(compare(Name("n"), "==", Literal("3"))), Anything("error"))
    pinned, free = (Family(INTERFACE, FACT, supposed, pinning) for pinning in (True, False))
    assert pinned == free and pinned.freed == free.freed
    assert "n" in pinned.given and "n" not in free.given
    assert free.given == free.fixed and {variable.path for variable in free.varying} == set(free.freed)
    assert free.scenarios == (free.precondition, free.puncture)


# --- what is missing --------------------------------------------------------------------------------------------

GAPPED = FloatType(FLOAT16, missing=True)
ONE, TWO, FIVE = (sf.convert(FLOAT16, FLOAT16, bits) for bits in (0x3C00, 0x4000, 0x4500))
SAMPLE = Interface(
    (
        Variable("lactate", Role.ENVIRONMENT, GAPPED, domain=Range(ONE, FIVE), unit="mmol/l"),
        Variable(
            "arrival",
            Role.ENVIRONMENT,
            EnumType("", 8, True, (("WALKED", 0), ("CARRIED", 1), ("NONE", -1)), missing=-1),
            domain=Values((0, 1)),
        ),
    )
)
MEASURED = {"lactate": TWO, "arrival": 0}


def lactates(text: str) -> set[int]:
    family = Family(SAMPLE, MEASURED, parse(f"might x if {text}").suppositions)
    some = (0, ONE, TWO, FIVE, 0x4800, FLOAT16.infinity, FLOAT16.nan, FLOAT16.nan + 1)
    return {bits for bits in some if family.contains({**MEASURED, "lactate": bits})}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("lactate is anything", {ONE, FIVE}),
        ("lactate is missing", {FLOAT16.nan}),
        ("lactate is nan", {FLOAT16.nan}),
        ("lactate is missing or lactate > 4", {FIVE, FLOAT16.nan}),
        ("lactate is not missing", {ONE, FIVE}),
        ("lactate != 2.0", {ONE, FIVE}),  # which is true of NaN, and NaN is not spoken of
        ("lactate is any bits and lactate is missing", {FLOAT16.nan, FLOAT16.nan + 1}),
    ],
)
def test_a_value_may_be_missing_where_that_is_said(text: str, found: set[int]) -> None:
    assert lactates(text) == found


@pytest.mark.parametrize("text", ["arrival is missing", "arrival == missing", "arrival == NONE", "arrival in {NONE}"])
def test_a_category_may_be_missing_where_that_is_said(text: str) -> None:
    family = Family(SAMPLE, MEASURED, parse(f"might x if {text}").suppositions)
    assert [bits for bits in range(256) if family.contains({**MEASURED, "arrival": bits})] == [255]


def test_what_may_be_missing_is_told() -> None:
    family = Family(SAMPLE, MEASURED, parse("might x if lactate is missing or lactate > 4").suppositions)
    assert family.limited == ["lactate: missing, or 1.0 to 5.0 mmol/l"]


def test_only_what_can_be_missing_is() -> None:
    with pytest.raises(QueryError, match="there is no variable missing"):
        Family(INTERFACE, FACT, parse("might x if k is missing").suppositions)
