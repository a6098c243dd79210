"""Maps against trying every state: random programs over small types, and the cases that are easily got wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.assumptions import Ledger
from soid.budget import Cancellation
from soid.case.project import Project
from soid.engine.summary import Approximation, Decided, Enclosure, Ending, Path
from soid.errors import InternalError, OverlapError, QueryError, TraceError
from soid.examples import folder
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.build import TRUE
from soid.formula.intervals import Values, everything
from soid.formula.passes import substitute
from soid.formula.sorts import FLOAT32, BitVec
from soid.formula.term import Term
from soid.mapping import map_words
from soid.mapping.claims import ClaimKind
from soid.mapping.decision_map import DecisionMap
from soid.mapping.partition import BUDGET_OVER, CALLED_OFF, NOT_TOLD_APART, TIME_OVER, Fineness
from soid.oracle.inquiry import Settings
from soid.program.domain import Range
from soid.program.types import BoolType, FloatType, IntType, VariableType, constant, parse, reading
from soid.query.language.query_parser import parse_suppositions
from soid.query.steps import Over, Steps
from soid.scenario.family import Family
from soid.solver.chain import chain
from soid.solver.protocol import Result, Solver, Unsat
from tests.unit.mapping.lands import (
    BROKEN,
    DARK,
    KINDS,
    TINY,
    WAITING,
    Land,
    decides,
    differences,
    ends,
    placed,
    symbols,
)
from tests.unit.oracle.worlds import gives_up

BOTH = "x is anything and y is anything"


# --- random programs ------------------------------------------------------------------------------------------


@st.composite
def conditions(draw: st.DrawFn, x: VariableType, y: VariableType) -> Term:
    """A comparison of one variable with a value, of both, or of arithmetic on both."""
    kind = draw(st.sampled_from([x, y]))
    symbol = symbols(x, y)[0 if kind is x else 1]
    bits = draw(st.integers(0, (1 << kind.width) - 1))
    if isinstance(kind, BoolType):
        return symbol
    value = reading(kind, symbol)
    other = constant(kind, bits)
    if type(x) is type(y) and x == y and draw(st.booleans()):
        one, two = (reading(each, s) for each, s in zip((x, y), symbols(x, y), strict=True))
        mixed = draw(st.sampled_from(["add", "mul", "compare"]))
        if isinstance(kind, FloatType):
            value = {"add": build.fp_add, "mul": build.fp_mul}.get(mixed, lambda a, _: a)(one, two)
        else:
            value = {"add": build.bvadd, "mul": build.bvmul}.get(mixed, lambda a, _: a)(one, two)
        other = two if mixed == "compare" else other
    if isinstance(kind, FloatType):
        return draw(st.sampled_from([build.fp_lt, build.fp_leq, build.fp_eq]))(value, other)
    if draw(st.booleans()):
        return build.eq(value, other)
    return draw(st.sampled_from([build.bvult, build.bvsle, build.bvule]))(value, other)


@st.composite
def lands(draw: st.DrawFn) -> Land:
    """A tree of conditions, with a path for each leaf."""
    x, y = draw(st.sampled_from(KINDS)), draw(st.sampled_from(KINDS))
    leaves: list[Path] = []

    def grow(condition: Term, depth: int) -> None:
        if depth and draw(st.integers(0, 3)):
            test = draw(conditions(x, y))
            grow(build.and_(condition, test), depth - 1)
            grow(build.and_(condition, build.not_(test)), depth - 1)
            return
        leaves.append(leaf(condition))

    def leaf(condition: Term) -> Path:
        what = draw(st.sampled_from(["move", "move", "move", "level", "broken", "waiting", "dark"]))
        if what == "level":
            xs = symbols(x, y)[0]
            level = build.zero_extend(build.extract(xs, 0, 0), 4) if isinstance(xs.sort, BitVec) else 3
            return decides(condition, 1, level)
        if what == "move":
            return decides(condition, draw(st.sampled_from([0, 1, 4])))
        endings: dict[str, Ending] = {"broken": BROKEN, "waiting": WAITING, "dark": DARK}
        return ends(condition, endings[what])

    grow(TRUE, draw(st.integers(1, 4)))
    fact = tuple(draw(st.integers(0, (1 << kind.width) - 1)) for kind in (x, y))
    return Land(x, y, tuple(leaves), (fact[0], fact[1]))


OVERS = ("x is anything", "y is any bits", BOTH, "x is any bits and y is any bits")


@settings(max_examples=40)
@given(lands(), st.sampled_from(OVERS), st.sampled_from([4, 256]))
def test_every_state_is_what_the_map_says_it_is(land, over, resolution):
    agrees(land, over, resolution)


@pytest.mark.fuzz
@given(lands(), st.sampled_from(OVERS), st.sampled_from([4, 256]))
def test_every_state_of_many_more_lands(land, over, resolution):
    agrees(land, over, resolution)


def agrees(land, over, resolution):
    made = land.map(over, "move, level", fineness=Fineness(resolution=resolution))
    assert differences(land, over, made) == []
    truth = land.truth(over)
    counted = [at for at in truth if at != land.fact]
    if resolution == 256:  # so small a land is settled to the last state, except for unexplored paths
        opened = [at for at in counted if truth[at] == str(DARK)]
        assert (made.settled, made.open) == (len(counted) - len(opened), len(opened))
    else:
        assert made.settled + made.open >= len(counted) >= made.settled


@settings(max_examples=25)
@given(lands(), st.sampled_from(["x is anything", "x is any bits"]))
def test_what_is_not_known_may_have_any_value(land, over):
    made = replace(land, unlogged=("y",)).map(over, "move, level")
    open_texts = {region.label.text for region in made.regions if region.is_open}
    happens: dict[int, set[str]] = {}
    for (x, _), text in land.truth(f"{over} and y is anything").items():
        happens.setdefault(x, set()).add(text)
    drawn = {x: text for (x,), text in placed(made).items()}
    assert happens.keys() <= drawn.keys()
    for x, text in drawn.items():
        explored = happens.get(x, {"outside"}) - {str(DARK)}
        dark = str(DARK) in happens.get(x, ())
        if text == "depends on y":
            assert len(explored) > 1, x
        elif text in open_texts:
            assert dark, x
        else:
            assert not dark and explored == {text}, x
    assert made.assumed == ("y",)
    if made.fact.is_drawn:
        assert (made.fact.label.text if made.fact.label is not None else "outside") == drawn[land.fact[0]]


@settings(max_examples=20)
@given(lands(), st.sampled_from(["move == GO", "fails", "not decides or level > 0"]))
def test_regions_by_a_behavior(land, behavior):
    made = land.map(BOTH, behavior)
    truth = land.truth(BOTH)
    for bits, text in placed(made).items():
        happens = truth.get((bits[0], bits[1]) if made.axes[0].variable.path == "x" else (bits[1], bits[0]))
        assert _expected(behavior, happens) == text, (bits, happens)


def _expected(behavior: str, happens: str | None) -> str:
    if happens is None:
        return "outside"
    if happens == str(DARK):
        return str(DARK)
    decided = happens.startswith("move")
    occurs = {
        "move == GO": "GO" in happens,
        "fails": happens == str(BROKEN),
        "not decides or level > 0": not decided or not happens.endswith("level = 0"),
    }[behavior]
    if occurs:
        return behavior
    return f"not: {behavior}" if decided else happens


# --- floats ---------------------------------------------------------------------------------------------------

SINGLE = FloatType(FLOAT32)


def single(text: str) -> Term:
    return constant(SINGLE, parse(SINGLE, text))


def split(test: Term, y: VariableType = SINGLE, x: VariableType = SINGLE) -> Land:
    return Land(x, y, (decides(test, 1), decides(build.not_(test), 0)))


X, Y = (reading(SINGLE, symbol) for symbol in symbols(SINGLE, SINGLE))


def ends_of(made: DecisionMap, label: str) -> list[list[tuple[str, str]]]:
    """The boxes of a region, as people read them."""
    return [
        [(axis.text(low), axis.text(high)) for axis, (low, high) in zip(made.axes, box, strict=True)]
        for region in made.regions
        if region.label.text == label
        for box in region.boxes
    ]


def test_a_boundary_lies_between_two_neighbouring_floats():
    made = split(build.fp_lt(build.fp_mul(X, X), single("2"))).map("1.0 <= x <= 2.0", "move")
    assert ends_of(made, "move = GO") == [[("1.0", "1.4142135")]]
    assert ends_of(made, "move = STAY") == [[("1.4142137", "2.0")]]
    assert (made.settled, made.open) == ((1 << 23) + 1, 0)


def test_every_float_of_a_narrow_range():
    square = build.fp_sub(build.fp_mul(X, X), X)
    land = split(build.fp_lt(square, single("0.75000006")))
    made = land.map("1.49999 <= x <= 1.50001", "move")
    (axis,) = made.axes
    assert axis.high - axis.low >= 150
    for place in range(axis.low, axis.high + 1):
        bits = axis.bits(place)
        less = sf.lt(FLOAT32, sf.sub(FLOAT32, sf.mul(FLOAT32, bits, bits), bits), parse(SINGLE, "0.75000006"))
        region = made.at([place])
        assert region is not None and region.label.text == f"move = {'GO' if less else 'STAY'}"


def test_both_zeros_are_states_of_their_own():
    symbol = symbols(SINGLE, SINGLE)[0]
    negative_zero = build.eq(symbol, build.const(symbol.sort, FLOAT32.sign_bit))
    made = split(negative_zero).map("-1.0 <= x <= 1.0", "move")
    assert ends_of(made, "move = GO") == [[("-0.0", "-0.0")]]
    below = split(build.fp_lt(X, single("0"))).map("-1.0 <= x <= 1.0", "move")
    assert ends_of(below, "move = STAY") == [[("-0.0", "1.0")]]


def test_any_bits_have_infinities_and_nans_at_their_ends():
    land = split(build.fp_lt(X, single("inf")))
    made = land.map("x is any bits", "move")
    assert made.settled + made.open == (1 << 32) - 1  # all but the fact
    assert made.open == 0
    stays = ends_of(made, "move = STAY")
    assert stays == [[("nan(0xffffffff)", "nan(0xff800001)")], [("inf", "nan(0x7fffffff)")]]
    finite = land.map("x is anything", "move")
    assert ends_of(finite, "move = GO") == [[("-3.4028235e+38", "3.4028235e+38")]]


FLOATS = st.floats(0.5, 2.0, width=32)


def test_a_curve_is_followed_as_far_as_the_resolution_goes():
    land = split(build.fp_lt(build.fp_mul(X, Y), single("1")))
    over = "0.5 <= x <= 2.0 and 0.5 <= y <= 2.0"
    made = land.map(over, "move", solver=Hopeless(), fineness=Fineness(resolution=32))
    assert made.share is not None and 0.9 < made.share < 1
    (left_open,) = (region for region in made.regions if region.label.kind is ClaimKind.OPEN)
    assert left_open.label.text == NOT_TOLD_APART
    finer = land.map(over, "move", solver=Hopeless(), fineness=Fineness(resolution=64))
    assert finer.share is not None and finer.share > made.share

    @settings(max_examples=200)
    @given(FLOATS, FLOATS)
    def tried(x, y):
        x_bits, y_bits = sf.float_to_bits32(x), sf.float_to_bits32(y)
        region = made.at([axis.place(bits) for axis, bits in zip(made.axes, (x_bits, y_bits), strict=True)])
        less = sf.lt(FLOAT32, sf.mul(FLOAT32, x_bits, y_bits), parse(SINGLE, "1"))
        assert region is not None
        assert region.label.text in (NOT_TOLD_APART, f"move = {'GO' if less else 'STAY'}")

    tried()


class Hopeless:
    """A solver that settles nothing."""

    name = "hopeless"

    def check(self, *_: object) -> Result:
        return gives_up(Unsat())

    def close(self) -> None:
        pass


# --- what only a solver settles -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def solver() -> Iterator[Solver]:
    made = chain()
    yield made
    made.close()


WORD = IntType(16, False)


def no_square(symbol: Term) -> Term:
    """That the square of a number leaves 2 when divided by 4: true of none, which intervals do not see."""
    four, two = (build.const(symbol.sort, number) for number in (4, 2))
    return build.eq(build.bvurem(build.bvmul(symbol, symbol), four), two)


@pytest.mark.parametrize("over", ["x is anything", BOTH])
def test_what_intervals_do_not_see_a_solver_proves(over, solver):
    x, y = symbols(WORD, WORD)
    land = split(build.or_(no_square(x), no_square(build.bvadd(x, y))), WORD, WORD)
    made = land.map(over, "move", solver=solver)
    assert [region.label.text for region in made.regions] == ["move = STAY"]
    assert made.open == 0
    unsure = land.map(over, "move", solver=Hopeless(), fineness=Fineness(boxes=200))
    assert unsure.open and not ends_of(unsure, "move = GO")


def test_states_among_many_are_found(solver):
    short = IntType(11, False)
    x, y = symbols(short, short)
    product = 1001 * (1001 + 78) % (1 << 11)
    hidden = build.eq(build.bvmul(x, build.bvadd(x, y)), build.const(BitVec(11), product))
    made = split(hidden, short, short).map("x is anything and 77 <= y <= 78", "move", solver=solver)
    expected = {(a, b) for b in (77, 78) for a in range(1 << 11) if a * (a + b) % (1 << 11) == product}
    assert (1001, 78) in expected
    assert placed_of(made, "move = GO") == expected
    assert made.open == 0


@pytest.mark.parametrize(("said", "inside"), [("!=", False), ("==", True)])
def test_a_state_among_many_that_the_suppositions_tell_apart(said, inside, solver):
    """The corners of a box and its middle are all in the family, or all outside; one state between them is not."""
    land = Land(WORD, WORD, (decides(TRUE, 1),))
    made = land.map(f"x is anything and 1009 <= y <= 1010 and x * y {said} 1018081", "move", solver=solver)
    assert (made.at([1009, 1009]) is not None) is inside
    assert (made.at([1010, 1009]) is not None) is not inside
    assert made.open == 0
    assert made.settled == (1 if inside else (1 << 17) - 1)


def placed_of(made: DecisionMap, label: str) -> set[tuple[int, ...]]:
    return {bits for bits, text in placed(made).items() if text == label}


# --- budgets --------------------------------------------------------------------------------------------------


def busy() -> Land:
    x, y = symbols(WORD, WORD)
    return split(build.bvult(build.bvmul(x, y), build.const(BitVec(16), 999)), WORD, WORD)


def test_what_the_budget_does_not_reach_is_open():
    made = busy().map(BOTH, "move", solver=Hopeless(), fineness=Fineness(boxes=50))
    assert made.looked_at == 50
    assert BUDGET_OVER in {region.label.text for region in made.regions}
    assert made.settled + made.open == (1 << 32) - 1


def test_when_the_time_is_over_everything_left_is_open():
    made = busy().map(BOTH, "move", settings=Settings(seconds=0.0, accept_log_mismatch=True))
    assert {region.label.text for region in made.regions} == {TIME_OVER}


def test_a_map_that_is_called_off_says_so():
    cancel = Cancellation()
    made = busy().map(BOTH, "move", solver=Hopeless(), cancel=cancel, progress=lambda _: cancel.cancel())
    assert CALLED_OFF in {region.label.text for region in made.regions}
    assert made.settled + made.open == (1 << 32) - 1


def test_two_maps_of_one_land_are_the_same():
    one, other = (busy().map(BOTH, "move", solver=Hopeless(), fineness=Fineness(boxes=300)) for _ in range(2))
    assert (one.regions, one.outside) == (other.regions, other.outside)


# --- families -------------------------------------------------------------------------------------------------


def test_a_family_without_scenarios_has_an_empty_map():
    land = split(build.fp_lt(X, Y))
    for over in ("x > 2 and x < 1", "x is anything and y is anything and x > y and y > x"):
        made = land.map(over, "move", solver=Hopeless(), fineness=Fineness(boxes=400, resolution=4))
        assert made.settled == 0
    assert land.map("x > 2 and x < 1", "move").is_empty
    fact_alone = land.map("x == 0.0 and x is not -0.0", "move")
    assert fact_alone.is_empty and fact_alone.fact.label is not None


def test_a_family_of_one_scenario():
    land = Land(TINY, TINY, (decides(TRUE, 1),), fact=(3, 0))
    made = land.map("x == 1", "move")
    assert ends_of(made, "move = GO") == [[("1.0", "1.0")]]
    assert (made.settled, made.fact.label) == (1, None)


def test_a_third_variable_with_one_value_is_no_axis():
    _, y = symbols(TINY, BoolType())
    land = Land(TINY, BoolType(), (decides(y, 1), decides(build.not_(y), 0)), fact=(3, 0))
    made = land.map("x is anything and y == true and rest in {0, 1}", "move")
    assert [axis.variable.path for axis in made.axes] == ["x", "rest"]
    assert [region.label.text for region in made.regions] == ["move = GO"]
    assert made.fact.label is None  # in fact y was false
    assert made.settled == 2 * (made.axes[0].high - made.axes[0].low + 1)


def test_three_variables_are_refused_by_name():
    with pytest.raises(QueryError, match=r"3 vary: x, y and rest.*\n.*keep rest"):
        busy().map("x is anything and y is anything and rest is anything")
    with pytest.raises(QueryError, match="nothing varies"):
        busy().map("keep x")


def test_the_fact_is_marked_and_not_counted():
    land = Land(IntType(4, False), BoolType(), (decides(TRUE, 1),), fact=(5, 1))
    made = land.map(BOTH, "move")
    assert made.fact.places == (5, 1) and made.fact.label is not None
    assert made.settled == 31
    elsewhere = land.map("x > 7", "move")
    assert (elsewhere.fact.label, elsewhere.settled) == (None, 8)


def test_whatever_may_have_been_the_fact_is_not_counted():
    low, high = (parse(TINY, text) for text in ("0.0", "0.5"))
    land = Land(TINY, BoolType(), (decides(TRUE, 1),), rounded={"x": Range(low, high)})
    made = land.map(BOTH, "move")
    family = Family(land.interface, land.keyframe.inputs, parse_suppositions(BOTH), rounded=land.rounded)
    inside = [(x, y) for x, y in land.states() if family.contains({"x": x, "y": y, "rest": 0})]
    assert (made.settled, made.open) == (len(inside), 0)
    negative_zero = TINY.format.sign_bit
    assert (negative_zero, 0) not in inside and (negative_zero, 1) in inside  # it rounds to the same
    assert Ledger.ROUNDED.of("x") in made.relies_on
    assert not [each for each in replace(land, rounded={}).map(BOTH, "move").relies_on if each.id == "rounded"]


# --- functions that are only approximated ---------------------------------------------------------------------


@dataclass(frozen=True)
class Counting(Enclosure):
    """How many bits of a number are set: known at some places only."""

    argument: Term
    symbol: Term
    known: frozenset[int] = frozenset()

    def facts(self) -> tuple[Term, ...]:
        return tuple(
            build.implies(
                build.eq(self.argument, build.const(self.argument.sort, at)),
                build.eq(self.symbol, build.const(self.symbol.sort, at.bit_count())),
            )
            for at in sorted(self.known)
        )

    def over(self, arguments: tuple[Values, ...], /) -> Values:
        return everything(self.symbol.sort)

    def value(self, arguments: tuple[int, ...], /) -> int:
        return arguments[0].bit_count()

    def closer(self, arguments: tuple[int, ...], /) -> Counting:
        return replace(self, known=self.known | {arguments[0]})


@pytest.mark.parametrize(("over", "width"), [("x is anything", 5), (BOTH, 3)])
def test_an_approximated_function_is_believed_only_where_it_is_known(over, width):
    kind = IntType(width, False)
    x, y = symbols(kind, kind)
    symbol = build.var("count at a.c:7", BitVec(width))
    few = build.bvult(symbol, build.const(BitVec(width), 2))

    def counting(given: Mapping[Term, Term]) -> tuple[Approximation, ...]:
        (argument,) = substitute([build.bvadd(x, y)], given)
        return (Approximation(symbol, "popcount", (argument,), None, Counting(argument, symbol)),)

    land = Land(kind, kind, (decides(few, 1), decides(build.not_(few), 0)), approximations=counting)
    made = land.map(over, "move")
    texts = placed(made)
    assert made.open == 0 and len(texts) == (1 << width) ** len(made.axes)
    for bits, text in texts.items():
        count = (sum(bits) % (1 << width)).bit_count()
        assert text == f"move = {'GO' if count < 2 else 'STAY'}", bits


# --- what is told apart ---------------------------------------------------------------------------------------


def test_neighbouring_boxes_of_one_label_are_one():
    x, _ = symbols(IntType(4, False), BoolType())
    paths = [decides(build.eq(x, build.const(x.sort, number)), number // 8) for number in range(16)]
    made = Land(IntType(4, False), BoolType(), tuple(paths)).map(BOTH, "move")
    assert [region.boxes for region in made.regions] == [(((0, 7), (0, 1)),), (((8, 15), (0, 1)),)]


def test_failures_are_told_apart_by_their_place():
    x, _ = symbols(IntType(4, False), BoolType())
    small = build.bvult(x, build.const(x.sort, 3))
    land = Land(IntType(4, False), BoolType(), (ends(small, BROKEN), ends(build.not_(small), WAITING)))
    made = land.map("x is anything")
    assert [(region.label.kind, region.label.text) for region in made.regions] == [
        (ClaimKind.FAILS, "fails: division by zero at a.c:3"),
        (ClaimKind.UNDECIDED, "does not decide: the window was over"),
    ]


def test_over_several_steps_regions_are_told_apart_by_the_last():
    x, _ = symbols(IntType(4, False), BoolType())
    small = build.bvult(x, build.const(x.sort, 3))
    stays, goes = decides(TRUE, 0).outputs, decides(TRUE, 1).outputs
    paths = (
        Path("goes at last", small, Decided(), goes, earlier=(stays,)),
        Path("fails in the second", build.not_(small), BROKEN, earlier=(goes,)),
    )
    land = Land(IntType(4, False), BoolType(), paths)
    for by, expected in (("move", "move = GO"), ("move == GO", "move == GO")):
        made = land.map("x is anything", by, steps=Steps(Over.AFTER, 2))
        assert [region.label.text for region in made.regions] == [expected, str(BROKEN)]
        assert made.relies_on[0] == Ledger.STEADY.of(2)


def test_very_many_values_make_no_map():
    x, _ = symbols(WORD, WORD)
    land = Land(WORD, WORD, (decides(TRUE, 1, build.extract(x, 15, 11)),))
    assert len(land.map("x is anything", "level").regions) == 32
    wide = Land(WORD, WORD, (decides(TRUE, build.extract(x, 12, 10), build.extract(x, 15, 11)),))
    with pytest.raises(QueryError, match=r"level takes very many values.*\n.* by="):
        wide.map("x is anything", "move, level")
    # more than a look here and there shows
    crowded = build.bvult(x, build.const(x.sort, 96))
    hidden = decides(crowded, build.extract(x, 2, 0), build.extract(x, 7, 3))
    with pytest.raises(QueryError, match="very many values"):
        Land(WORD, WORD, (hidden, decides(build.not_(crowded), 0))).map("x is anything", "move, level")


def test_what_regions_cannot_be_told_apart_by():
    with pytest.raises(QueryError, match="x is what the program is given"):
        busy().map("x is anything", "x")
    with pytest.raises(QueryError, match="brake"):
        busy().map("x is anything", "brake > 0.5")


# --- paths that contradict themselves -------------------------------------------------------------------------


def test_a_state_that_no_path_covers_is_an_internal_error():
    x, _ = symbols(IntType(4, False), BoolType())
    small = build.bvult(x, build.const(x.sort, 3))
    with pytest.raises(InternalError, match="no path covers a state of the family"):
        Land(IntType(4, False), BoolType(), (decides(small, 1),)).map("x is anything")


def test_paths_that_overlap_and_differ_are_refused():
    x, _ = symbols(IntType(4, False), BoolType())
    small = build.bvult(x, build.const(x.sort, 3))
    land = Land(IntType(4, False), BoolType(), (decides(small, 1), decides(TRUE, 0)), fact=(9, 0))
    with pytest.raises(OverlapError, match="move = GO"):
        land.map("x > 0", "move")


def test_what_was_explored_counts_before_what_was_not():
    land = Land(IntType(4, False), BoolType(), (decides(TRUE, 1), ends(TRUE, DARK)))
    assert [region.label.text for region in land.map("x is anything", "move").regions] == ["move = GO"]


def test_a_log_that_differs_from_the_program_is_refused():
    land = Land(IntType(4, False), BoolType(), (decides(TRUE, 1),), logged={"move": 0})
    with pytest.raises(TraceError, match="log mismatch"):
        land.map("x is anything", settings=Settings())
    assert land.map("x is anything", settings=Settings(accept_log_mismatch=True)).settled == 15


def test_what_of_the_fact_was_not_logged_is_marked():
    project = Project.open(folder("drone"))
    made = project.map("s.pilot is anything")
    project.solver.close()
    assert (made.fact.derived, made.fact.computed) == (("return.alarm",), ())
    assert map_words.fact_text(made).endswith("hold its place and to stay silent (the alarm derived)")
