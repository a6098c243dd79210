"""What is said to be settled is: held to trying every state of small families."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random

import pytest

from soid.formula import build as b
from soid.formula import softfloat as sf
from soid.formula.checker import Impossible, Open, Possibility
from soid.formula.interval_program import Box
from soid.formula.passes import evaluate, evaluate_all
from soid.formula.sorts import BOOL, FLOAT16, FLOAT32, BitVec
from soid.formula.term import Term
from soid.solver.box_conditions import BoxConditions, BoxVariable, Size, lay_out
from soid.solver.box_cutter import BoxCutter, ExclusionGoal
from soid.solver.paving import Paving, begin, pave, reopened
from soid.solver.state_count import Count, Counter
from tests.exhaustive import Exhaustive
from tests.unit.formula.terms import TINY
from tests.unit.solver.test_box_splitter import NUMBER, P, X, Y, conditions

SYMBOLS = (X, Y, P)
STATES = [
    {X: x, Y: y, P: p} for x, y, p in itertools.product(range(1 << TINY.width), range(1 << NUMBER.width), (False, True))
]
PUNCTURE = b.or_(b.not_(b.eq(X, b.const(X.sort, 5))), b.not_(b.eq(Y, b.const(NUMBER, 2))), b.not_(P))


def unsettled(_: Sequence[Term]) -> Possibility:
    return Open("no solver is asked")


def families(random: Random) -> tuple[list[Term], ExclusionGoal]:
    """Conditions on single variables and on several, a puncture, and a goal with doubts."""
    number = b.const(NUMBER, random.randrange(8))
    single = [b.bvule(Y, number), b.fp_leq(b.const(TINY, 0), b.fp_from_bits(TINY, X)), b.or_(P, b.bvslt(number, Y))]
    family = [*random.sample(single, random.randrange(3)), PUNCTURE]
    if random.randrange(2):
        family += [each for each in conditions(random)[:1] if not each.is_const]
    shows, doubt, *_ = [*conditions(random), *conditions(random), b.FALSE, b.FALSE]
    return family, ExclusionGoal(shows, random.choice((doubt, b.FALSE)))


def holds(variables: Sequence[BoxVariable], box: Box, state: dict[Term, bool | int]) -> bool:
    """Whether a state is in a box."""
    return all(low <= places(each)[state[each.term]] <= high for each, (low, high) in zip(variables, box, strict=True))


@functools.cache
def places(variable: BoxVariable) -> dict[bool | int, int]:
    """The place of each value, by going through them."""
    first, last = variable.order.places
    return {variable.order.value_at(place): place for place in range(first, last + 1)}


def boxes(question: BoxConditions, random: Random) -> Iterator[Box]:
    for _ in range(3):
        sides = []
        for variable in question.variables:
            ends = sorted(random.randint(*variable.order.places) for _ in range(2))
            sides.append((ends[0], ends[1]))
        yield tuple(sides)


@pytest.mark.parametrize("seed", range(20))
def test_states_are_counted_as_by_trying_them(seed: int) -> None:
    random = Random(seed)
    family, goal = families(random)
    question = lay_out(family, Size(9, 9_999), goals=[goal.shows], symbols=SYMBOLS)
    assert question is not None
    counter = Counter(question, family, len(SYMBOLS))
    for box in boxes(question, random):
        number = sum(
            1 for state in STATES if holds(question.variables, box, state) and all(evaluate_all(family, state))
        )
        found = counter.count(box)
        assert found.least <= number <= found.most
        if all(term is PUNCTURE or bin(question.masks[question.order.index(term)]).count("1") == 1 for term in family):
            assert found == Count(number, number)


def resumption(paving: Paving, cutter: BoxCutter) -> Paving:
    """The paving with its open boxes only, as one is resumed that was kept in a file."""
    again = reopened(cutter, [(piece.box, piece.stuck) for piece in paving.open])
    assert again is not None
    assert {piece.box for piece in again.open} == {piece.box for piece in paving.open}
    assert again.unsettled == paving.unsettled
    return again


@pytest.mark.parametrize("resumed", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_what_is_settled_and_what_is_shown_is_so(seed: int, resumed: bool) -> None:
    random = Random(seed)
    family, goal = families(random)
    cutter = BoxCutter.of(family, goal, SYMBOLS)
    assert cutter is not None
    rounds, check = itertools.count(), random.choice((unsettled, Exhaustive(SYMBOLS)))
    most = random.choice((0, 1, 3, 500))
    paving = begin(cutter)
    pave(paving, cutter, check, lambda: next(rounds) >= most)
    if paving.model is None and resumed:
        paving, rounds = resumption(paving, cutter), itertools.count()
        pave(paving, cutter, check, lambda: next(rounds) >= most)
    members = [state for state in STATES if all(evaluate_all(family, state))]
    shown = [state for state in members if evaluate(goal.shows, state)]
    if paving.model is not None:
        assert dict(paving.model) in shown
        return
    sought = [goal.shows, goal.doubt]
    relevant = {number for number, state in enumerate(members) if any(evaluate_all(sought, state))}
    assert not (paving.excluded and relevant)
    still_open = {
        number
        for number, state in enumerate(members)
        if any(holds(cutter.variables, piece.box, state) for piece in paving.open)
    }
    assert relevant <= still_open
    settled = len(members) - len(still_open)
    assert paving.settled.least <= settled <= paving.settled.most
    if members:
        assert paving.share <= len(members) and paving.share * len(members) <= settled
        assert not paving.is_exact or paving.share * len(members) == settled
        assert (paving.share == 1) <= (settled == len(members))
    if most == 500:
        assert len(still_open) <= len(relevant)  # a family so small is settled state by state


def test_boxes_of_another_family_are_refused() -> None:
    cutter = BoxCutter.of([b.bvule(Y, b.const(NUMBER, 3))], ExclusionGoal(b.FALSE), SYMBOLS)
    whole = cutter and cutter.whole()
    assert cutter is not None and whole is not None
    beyond = tuple((low, high + 1) for low, high in whole.box)
    for box in (beyond, whole.box[1:], tuple((high, low - 1) for low, high in whole.box)):
        assert reopened(cutter, [(box, False)]) is None


def test_variables_are_lined_up_as_they_are_used() -> None:
    """The float's bits, a number that is compared with a sign, a truth, a number that is not."""
    told = [b.fp_is_nan(b.fp_from_bits(TINY, X)), b.bvslt(Y, b.const(NUMBER, 1)), P]
    question = lay_out(told, Size(9, 99), symbols=[X, Y, P, b.var("n", NUMBER)])
    assert question is not None
    assert [variable.order.name for variable in question.variables] == ["float", "signed", "bool", "unsigned"]


WORD = b.var("w", BitVec(32))
FLOAT = b.fp_from_bits(FLOAT32, WORD)
ANYWHERE = b.not_(b.eq(WORD, b.const(BitVec(32), 0)))


def number(value: float) -> Term:
    return b.const(FLOAT32, sf.float_to_bits32(value))


def paved(family: Sequence[Term], goal: ExclusionGoal, rounds: int = 10_000) -> Paving:
    cutter = BoxCutter.of(family, goal, [WORD])
    assert cutter is not None
    left = iter(range(rounds))
    paving = begin(cutter)
    pave(paving, cutter, unsettled, lambda: next(left, None) is None)
    return paving


def states(family: Sequence[Term]) -> Count:
    cutter = BoxCutter.of(family, ExclusionGoal(b.FALSE), [WORD])
    whole = cutter and cutter.whole()
    assert cutter is not None and whole is not None
    return cutter.states(whole.box)


def test_every_bit_pattern_counts_nans_and_both_zeros_too() -> None:
    """Of all floats but +0.0, those that are no NaN are below infinity or at it."""
    done = paved([ANYWHERE], ExclusionGoal(b.and_(b.fp_is_nan(FLOAT), b.fp_is_zero(FLOAT))))
    assert done.excluded and done.is_exact and done.share == 1
    assert states([ANYWHERE]) == Count((1 << 32) - 1, (1 << 32) - 1)
    zero = paved([b.fp_is_zero(FLOAT), ANYWHERE], ExclusionGoal(b.fp_lt(FLOAT, number(0.0))))
    assert zero.excluded and zero.settled == Count(1, 1)  # -0.0 is left, and not below 0.0


def test_a_share_of_almost_everything_is_not_everything() -> None:
    """One state in doubt, among all floats but one."""
    doubt = b.eq(WORD, b.const(BitVec(32), 0x7FC00001))
    done = paved([ANYWHERE], ExclusionGoal(b.FALSE, doubt))
    assert not done.excluded and done.is_exact
    (left,) = done.open
    assert left.box[0][0] == left.box[0][1] and 0 < left.size.least == left.size.most
    assert done.share < 1 and 1 - done.share < Fraction(1, 1 << 31)


def test_a_state_in_doubt_is_not_shown() -> None:
    done = paved([ANYWHERE], ExclusionGoal(b.FALSE, b.TRUE))
    assert done.model is None and done.share == 0 and len(done.open) == 1


def test_a_solver_is_asked_about_what_intervals_leave_open() -> None:
    """That 2 * x is x + x no box shows while it has more than a float."""
    double = b.fp_mul(FLOAT, number(2.0))
    goal = ExclusionGoal(b.not_(b.fp_eq(double, b.fp_add(FLOAT, FLOAT))))
    family = [b.fp_leq(number(1.0), FLOAT), b.fp_leq(FLOAT, number(4.0)), ANYWHERE]
    assert not paved(family, goal, 60).excluded
    cutter = BoxCutter.of(family, goal, [WORD])
    assert cutter is not None
    left = iter(range(500))
    paving = begin(cutter)
    pave(paving, cutter, lambda _: Impossible(), lambda: next(left, None) is None)
    assert paving.excluded


def test_what_has_symbols_of_its_own_shows_nothing_by_a_point() -> None:
    other = b.var("pow", FLOAT32)
    assert (
        BoxCutter.of([ANYWHERE], ExclusionGoal(b.fp_lt(other, number(1.0))), [WORD]) is None
    )  # a float is no bit pattern
    flag = b.var("flag", BOOL)
    done = paved([ANYWHERE], ExclusionGoal(flag), rounds=3)
    assert done.model is None and not done.excluded


@pytest.mark.parametrize("is_reached", [True, False])
def test_small_boxes_are_settled_state_by_state(is_reached: bool) -> None:
    """A goal that tells nothing over ranges: halving down to single states would take thousands of boxes."""
    x = b.var("x", BitVec(12))
    mixed = b.bvmul(b.bvxor(b.bvmul(x, b.const(x.sort, 0x9E5)), b.bvlshr(x, b.const(x.sort, 5))), x)
    reached = {int(evaluate(mixed, {x: bits})) for bits in range(1 << 12) if bits != 7}
    wanted = next(bits for bits in range(1 << 12) if (bits in reached) is is_reached)
    goal = ExclusionGoal(b.eq(mixed, b.const(x.sort, wanted)))
    cutter = BoxCutter.of([b.not_(b.eq(x, b.const(x.sort, 7)))], goal, [x])
    assert cutter is not None
    paving, rounds = begin(cutter), itertools.count()
    pave(paving, cutter, unsettled, lambda: next(rounds) > (1 << 12) / 32)
    assert paving.excluded is not is_reached
    assert not is_reached or (paving.model is not None and evaluate(mixed, paving.model) == wanted)


BITS16 = b.var("h", BitVec(16))
HALF = b.fp_from_bits(FLOAT16, BITS16)


def half(value: float) -> Term:
    return b.const(FLOAT16, sf.from_fraction(FLOAT16, Fraction(value)))


@pytest.mark.parametrize(("low", "high", "cut"), [(0.0, 1.0, 0.2), (-3.0, 5.0, 1.0), (1.0, 1000.0, 500.0)])
def test_a_share_is_that_of_the_length_and_not_of_the_floats(low: float, high: float, cut: float) -> None:
    """Above the cut it is in doubt; most floats of these ranges lie elsewhere than their length does."""
    family = [b.fp_leq(half(low), HALF), b.fp_leq(HALF, half(high)), b.not_(b.eq(BITS16, b.const(BITS16.sort, 0)))]
    doubt = b.fp_lt(half(cut), HALF)
    cutter = BoxCutter.of(family, ExclusionGoal(b.FALSE, doubt), [BITS16])
    assert cutter is not None
    rounds, paving = iter(range(3_000)), begin(cutter)
    pave(paving, cutter, unsettled, lambda: next(rounds, None) is None)
    assert paving.is_exact
    assert float(paving.share) == pytest.approx((cut - low) / (high - low), rel=2e-3)
    order = cutter.variables[0].order
    settled = length = Fraction(0)
    for place in range(*order.places):  # by hand: the numbers that round to each float
        state = {BITS16: int(order.value_at(place))}
        if all(evaluate_all(family, state)):
            room = width(place)
            length += room
            settled += 0 if evaluate(doubt, state) else room
    assert paving.share == settled / length


def width(place: int) -> Fraction:
    """The length of the numbers that round to a float of 16 bits."""
    number = (-1 - place) if place < 0 else place
    at, above = (sf.to_fraction(FLOAT16, each) for each in (number, number + 1))
    return (above - (sf.to_fraction(FLOAT16, number - 1) if number else at)) / 2
