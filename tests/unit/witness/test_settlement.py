"""Settling, against brute force: the state reached is the one that the module's docstring promises, from any model."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.budget import UNLIMITED, Budget
from soid.engine.summary import Approximation, Enclosure
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.checker import Impossible, Open, Possibility, Possible
from soid.formula.intervals import Values, everything
from soid.formula.passes import evaluate
from soid.formula.sorts import FLOAT16, FLOAT32, BitVec, Float
from soid.formula.term import Term
from soid.program.interface import Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType, number, parse
from soid.witness.settlement import SettledState, rounded, settle

TINY = FloatType(Float(2, 3))
GEAR = EnumType("gear", 2, False, (("PARK", 3), ("DRIVE", 1), ("BACK", 2)))
GAPPED = FloatType(Float(2, 3), missing=True)
KINDS: list[VariableType] = [BoolType(), IntType(4, True), IntType(4, False), TINY, GAPPED, GEAR]
KINDS += [IntType(16, True), FloatType(FLOAT16)]  # with many values between two states


def all_bits(kind: VariableType) -> range:
    return range(1 << kind.width)


class Exhaustive:
    """A checker that tries every state, or some that are known to be all; which model it gives is up to `turn`."""

    def __init__(
        self, variables: Sequence[Variable], turn: int, states: Sequence[tuple[int, ...]] | None = None
    ) -> None:
        self.symbols = [variable.symbol for variable in variables]
        if states is None:
            states = list(itertools.product(*(all_bits(variable.type) for variable in variables)))
        self.states = [dict(zip(self.symbols, state, strict=True)) for state in states]
        self.turn = turn
        self.calls = 0

    def __call__(self, conjuncts: Sequence[Term], /) -> Possibility:
        self.calls += 1
        goal = build.all_of(conjuncts)
        models = [state for state in self.states if evaluate(goal, state)]
        return Possible(models[(self.turn * self.calls) % len(models)]) if models else Impossible()


def distance(kind: VariableType, fact: int, bits: int) -> tuple[object, ...]:
    """What nearness means, told independently: smaller is nearer."""
    if isinstance(kind, EnumType):
        order = [value for _, value in kind.labels if value != fact]
        return (0, order.index(bits)) if bits in order else (1, abs(bits - fact), bits)
    if isinstance(kind, IntType):
        return (abs(number(kind, bits) - number(kind, fact)), number(kind, bits))
    assert isinstance(kind, FloatType)
    fact = 0 if kind.missing and fact == kind.format.nan else fact
    away = place_of(kind, bits) - place_of(kind, fact)
    if is_finite(kind, bits) and is_finite(kind, fact):
        return (0, abs(value(kind, bits) - value(kind, fact)), away > 0, abs(away))
    return (1, abs(away), away > 0)


def place_of(kind: FloatType, bits: int) -> int:
    """The place of bits among all floats, NaNs beyond the infinities."""
    return ~(bits ^ kind.format.sign_bit) if bits & kind.format.sign_bit else bits


def value(kind: FloatType, bits: int) -> Fraction:
    return sf.to_fraction(kind.format, bits)


def is_finite(kind: VariableType, bits: int) -> bool:
    return not isinstance(kind, FloatType) or not (sf.is_nan(kind.format, bits) or sf.is_infinite(kind.format, bits))


def expected(variables: Sequence[Variable], states: list[tuple[int, ...]], fact: Sequence[int]) -> tuple[int, ...]:
    """Return greedily, then approach in order: by filtering the list of states."""
    left = states
    moved: list[int] = []
    for index, bits in enumerate(fact):
        back = [state for state in left if state[index] == bits]
        left = back or left
        if not back:
            moved.append(index)
    for index in moved:
        kind = variables[index].type
        if not isinstance(kind, BoolType):
            nearest = min((distance(kind, fact[index], state[index]) for state in left), key=lambda d: d)
            left = [state for state in left if distance(kind, fact[index], state[index]) == nearest]
    assert len(left) == 1
    return left[0]


@given(data=st.data(), turn=st.integers(0, 5))
def test_the_settled_state_is_the_nearest_whatever_the_solver_says(data: st.DataObject, turn: int) -> None:
    kinds = data.draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=2))
    variables = [Variable(f"v{i}", Role.ENVIRONMENT, kind) for i, kind in enumerate(kinds)]
    fact = [data.draw(st.sampled_from(all_bits(kind))) for kind in kinds]
    some = st.tuples(*(st.sampled_from(all_bits(kind)) for kind in kinds))
    states = data.draw(st.lists(some, min_size=1, max_size=6, unique=True))
    goal = build.any_of(
        build.all_of(
            build.eq(v.symbol, build.const(v.symbol.sort, bits)) for v, bits in zip(variables, state, strict=True)
        )
        for state in states
    )
    model = dict(zip([v.symbol for v in variables], data.draw(st.sampled_from(states)), strict=True))
    check = Exhaustive(variables, turn, states)
    facts = {v.path: bits for v, bits in zip(variables, fact, strict=True)}
    settled = settle([goal], variables, facts, model, check, UNLIMITED.started())
    assert settled.complete
    assert tuple(settled.state.values()) == expected(variables, states, fact)


@given(data=st.data())
def test_what_is_rounded_is_a_state_of_the_goal_beyond_the_nearest(data: st.DataObject) -> None:
    kind = FloatType(FLOAT16)
    finite = st.sampled_from([bits for bits in all_bits(kind) if sf.is_finite(kind.format, bits)])
    variables = [Variable(name, Role.ENVIRONMENT, kind) for name in "ab"]
    fact, nearest, other = ({each.path: data.draw(finite) for each in variables} for _ in range(3))
    ends = [sorted(each.order.place_of(state[each.path]) for state in (nearest, other)) for each in variables]
    goal = [each.between(*both) for each, both in zip(variables, ends, strict=True)]
    found = rounded(goal, variables, fact, nearest, Exhaustive([], 0), UNLIMITED.started(), kept="b")
    assert evaluate(build.all_of(goal), {each.symbol: found[each.path] for each in variables})
    assert found["b"] == nearest["b"]
    if found != nearest:
        here, there, shown = (sf.to_fraction(kind.format, each["a"]) for each in (fact, nearest, found))
        assert here < there < shown or here > there > shown


def test_a_round_number_is_asked_for_where_the_goal_cannot_be_evaluated() -> None:
    kind = FloatType(FLOAT32)
    x = Variable("x", Role.ENVIRONMENT, kind)
    fact, nearest, hidden = parse(kind, "1.376"), parse(kind, "1.1699998"), build.var("hidden", x.symbol.sort)
    goal = [x.between(parse(kind, "1.05"), nearest), build.eq(hidden, x.symbol)]
    asked: list[int] = []

    def check(conjuncts: Sequence[Term], /) -> Possibility:
        for bits in (parse(kind, text) for text in ("1.0", "1.16")):
            state = {x.symbol: bits, hidden: bits}
            if evaluate(build.all_of(conjuncts[2:]), state):
                asked.append(bits)
                return Possible(state) if evaluate(build.all_of(conjuncts), state) else Impossible()
        raise AssertionError("no round number was asked for")

    found = rounded(goal, [x], {"x": fact}, {"x": nearest}, check, UNLIMITED.started())
    assert found == {"x": parse(kind, "1.16")} and len(asked) == 2


def test_of_a_few_states_far_apart_the_nearest_is_soon_known_to_be_it() -> None:
    x = Variable("x", Role.ENVIRONMENT, IntType(64, False))
    states = [(1 << 40,), (1 << 60,)]
    goal = build.any_of(build.eq(x.symbol, build.const(x.symbol.sort, bits)) for (bits,) in states)
    check = Exhaustive([x], 1, states)
    settled = settle([goal], [x], {"x": 0}, {x.symbol: 1 << 60}, check, UNLIMITED.started())
    assert settled == SettledState({"x": 1 << 40}, complete=True)
    assert check.calls < 12, "not one question for each bit"


@pytest.mark.parametrize("only", ["nan", "inf", "-inf"])
def test_a_float_that_can_only_be_no_number_is_settled_too(only: str) -> None:
    kind = TINY
    x = Variable("x", Role.ENVIRONMENT, kind)
    infinity = kind.format.infinity
    pattern = {"nan": kind.format.nan, "inf": infinity, "-inf": infinity | kind.format.sign_bit}[only]
    goal = build.eq(x.symbol, build.const(x.symbol.sort, pattern))
    settled = settle([goal], [x], {"x": 0}, {x.symbol: pattern}, Exhaustive([x], 1), UNLIMITED.started())
    assert settled.complete
    assert settled.state == {"x": pattern}


def test_an_open_check_leaves_the_best_state_known_and_says_so() -> None:
    x = Variable("x", Role.ENVIRONMENT, IntType(4, False))

    def open_check(_: Sequence[Term], /) -> Possibility:
        return Open("time")

    five, nine = (build.const(x.symbol.sort, each) for each in (5, 9))
    goal = build.eq(build.bvand(x.symbol, five), five)  # 5, 7, 13 and 15
    settled = settle([goal], [x], {"x": 3}, {x.symbol: 13}, open_check, UNLIMITED.started())
    assert not settled.complete
    assert settled.state == {"x": 13}
    # evaluation alone may find the nearest one, of two that are equally near the lower
    elsewhere = build.not_(build.eq(x.symbol, build.const(x.symbol.sort, 3)))
    settled = settle([elsewhere], [x], {"x": 3}, {x.symbol: 9}, open_check, UNLIMITED.started())
    assert (settled.state, settled.complete) == ({"x": 2}, True)
    # intervals may show that
    beyond = build.not_(build.bvult(x.symbol, nine))
    settled = settle([beyond], [x], {"x": 3}, {x.symbol: 15}, open_check, UNLIMITED.started())
    assert (settled.state, settled.complete) == ({"x": 9}, True)
    # that the fact itself is possible, evaluation shows
    settled = settle([build.TRUE], [x], {"x": 3}, {x.symbol: 9}, open_check, UNLIMITED.started())
    assert (settled.state, settled.complete) == ({"x": 3}, True)


def test_results_of_approximated_functions_are_evaluated() -> None:
    """The goal mentions a symbol that stands for the half of x, and no formula says so."""
    x = Variable("x", Role.ENVIRONMENT, IntType(4, False))
    symbol = build.var("half", x.symbol.sort)
    half = Approximation(symbol, "half", (x.symbol,), None, Halves())
    goal = build.not_(build.bvult(symbol, build.const(symbol.sort, 3)))

    def open_check(_: Sequence[Term], /) -> Possibility:
        return Open("time")

    settled = settle([goal], [x], {"x": 0}, {x.symbol: 15}, open_check, UNLIMITED.started(), [half])
    assert (settled.state, settled.complete) == ({"x": 6}, False)


class Halves(Enclosure):
    """A function whose values alone are known."""

    def facts(self) -> tuple[Term, ...]:
        return ()

    def over(self, arguments: tuple[Values, ...], /) -> Values:
        return everything(BitVec(4))

    def value(self, arguments: tuple[int, ...], /) -> int:
        return arguments[0] // 2

    def closer(self, arguments: tuple[int, ...], /) -> Halves:
        return self


def test_no_budget_no_checks() -> None:
    x = Variable("x", Role.ENVIRONMENT, IntType(4, False))
    model: Mapping[Term, int] = {x.symbol: 9}
    check = Exhaustive([x], 1)
    settled = settle([build.TRUE], [x], {"x": 3}, model, check, Budget(0.0).started())
    assert not settled.complete
    assert check.calls == 0
