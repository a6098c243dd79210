from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Literal

import pytest

from soid.engine.learned import link_function
from soid.engine.learned.float_places import SORTS, float_at, nearest_place
from soid.engine.learned.links import over, spread_of, value_of
from soid.engine.learned.model import Link, LinkFunction
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.intervals import Floats
from soid.formula.sorts import FLOAT32, Float


def link(function: LinkFunction, *, exact: bool = False, ulps: int = 8) -> Link:
    return Link("number", function, ("score",), exact=exact, ulps=ulps)


@pytest.mark.parametrize(
    ("function", "argument", "expected"),
    [
        ("softplus", 0.0, math.log(2.0)),
        ("softplus", -800.0, 0.0),
        ("softplus", 800.0, math.inf),  # as the library computes it: the exponential is infinite
        ("signed_square", -1.5, -2.25),
        ("signed_square", 3.0, 9.0),
        ("signed_square", 0.0, 0.0),
    ],
)
def test_functions_of_one_score(function: LinkFunction, argument: float, expected: float) -> None:
    assert value_of(link(function, exact=True), [argument]) == expected
    assert spread_of(link(function, exact=True), [argument]) == (expected, expected)


def test_a_spread_is_as_wide_as_the_link_says() -> None:
    narrow, wide = spread_of(link("exp"), [1.0]), spread_of(link("exp", ulps=1024), [1.0])
    assert wide[0] < narrow[0] < math.e < narrow[1] < wide[1]
    assert wide[1] - wide[0] == pytest.approx(2 * 1024 * math.e * 2.0**-52, rel=0.01)


def test_an_infinity_may_be_the_greatest_number_and_a_zero_the_least() -> None:
    low, high = spread_of(link("exp"), [710.0])
    assert low < 1.7976931348623157e308 and high == math.inf
    low, high = spread_of(link("exp"), [-746.0])
    assert low < 0.0 and high >= 2.2250738585072014e-308


def test_a_square_with_its_sign_rises() -> None:
    low, high = over(link("signed_square", exact=True), [-2.0], [0.5])
    assert low < -4.0 + 1e-9 and 0.25 <= high < 0.26


def test_a_softmax_over_a_range_contains_what_it_is_inside() -> None:
    """The rounded differences of far classes are not monotone in the last places."""
    far = Link("p", "softmax", ("a", "a", "b", "c"), 32, exact=True)
    own, other = -36.87983322143555, -0.19371189177036285
    low, high = over(far, [own, own, 0.0760573223233223, other], [own, own, 0.07615732401609421, other])
    assert low <= value_of(far, [own, own, 0.07615513354539871, other]) <= high


@pytest.mark.parametrize("function", ["sigmoid", "exp", "softplus", "complement", "half"])
def test_beside_the_end_of_a_range_the_computed_number_may_be_a_little_on_the_other_side(
    function: LinkFunction,
) -> None:
    exact = link(function, exact=True)
    low, high = spread_of(exact, [0.75], are_ends=True)
    wide = over(exact, [0.5], [0.75])
    assert wide[0] <= low and high <= wide[1]
    assert over(exact, [0.75], [0.75], are_ends=True) == (low, high)
    beside = [value_of(exact, [math.nextafter(0.75, side)]) for side in (0.0, 1.0)]
    if function == "complement":  # one rounded operation never falls
        assert low == high == value_of(exact, [0.75])
    else:
        assert low < min(beside) and max(beside) < high


SIGMOIDS = [
    Link("number", function, ("score",), precision, exact=exact, ulps=8)
    for function in ("sigmoid", "clipped_sigmoid")
    for precision in (32, 64)
    for exact in (True, False)
]
SCORES = [
    *(each / 7 for each in range(-700, 700, 11)),
    *(-2e4, -745.2, -709.9, -88.8, -1e-300, 0.0, 1e-300, 36.8, 88.8, 2e4),
]


@pytest.mark.parametrize("sigmoid", SIGMOIDS)
def test_the_ends_of_a_sigmoid_enclose_what_is_computed_beyond_the_end_of_a_range(sigmoid: Link) -> None:
    sort = SORTS[sigmoid.precision]
    for score in (float_at(sort, nearest_place(sort, each)) for each in SCORES):
        low, high = spread_of(sigmoid, [score], are_ends=True)
        place = nearest_place(sort, score)
        for step in range(-20, 21):
            computed = value_of(sigmoid, [float_at(sort, place + step)])
            room = (high - low) / 4  # half of what there is on either side is never needed
            assert step < 0 or low + room <= computed, score
            assert step > 0 or computed <= high - room, score


@pytest.mark.parametrize("sigmoid", SIGMOIDS)
@pytest.mark.parametrize("end", [0, 1])
def test_an_end_of_a_sigmoid_never_falls_and_over_a_range_is_between_what_it_is_at_its_ends(
    sigmoid: Link, end: int
) -> None:
    sort = SORTS[sigmoid.precision]
    function = link_function.LinkFunction(sigmoid, (build.var("score", sort),), end, are_ends=True)
    for score in SCORES:
        start = nearest_place(sort, score)
        places = [start + step for step in range(-20, 20)]
        found = [sf.ordinal(sort, function.value((sf.from_ordinal(sort, place),))) for place in places]
        assert found == sorted(found)
        assert function.over((Floats(places[0], places[-1], False),)) == Floats(found[0], found[-1], False)


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(3, 8))])
@pytest.mark.parametrize("precision", [32, 64])
@pytest.mark.parametrize("end", [0, 1])
def test_an_end_of_a_softmax_over_ranges_is_between_what_it_is_at_their_corners(
    seed: int, precision: Literal[32, 64], end: int
) -> None:
    random, sort = Random(seed), SORTS[precision]
    function = random.choice(("softmax", "softmax_in_order"))
    one = Link("p", function, ("a", "a", "b", "c"), precision, exact=random.random() < 0.5, ulps=64)  # type: ignore[arg-type]
    symbols = [build.var(name, sort) for name in "aabc"]
    bounded = link_function.LinkFunction(one, symbols, end, are_ends=True)
    for _ in range(15):
        starts = [nearest_place(sort, random.choice([random.gauss(0, 3), random.uniform(-90, 90)])) for _ in "abc"]
        width = random.choice([2, 40, 1 << 12])
        spans = [(start, start + random.randrange(width)) for start in starts]
        found = bounded.over(tuple(Floats(*spans[place], False) for place in (0, 0, 1, 2)))
        assert isinstance(found, Floats) and not found.nan
        (a, a2), (b, b2), (c, c2) = spans
        for corner, expected in (((a, b2, c2), found.low), ((a2, b, c), found.high)):
            assert sf.ordinal(sort, bounded.value(bits_of(sort, corner))) == expected
        for _ in range(20):
            inside = [random.randint(*span) for span in spans]
            assert found.low <= sf.ordinal(sort, bounded.value(bits_of(sort, inside))) <= found.high
            # what is computed, also where the numbers that are meant lie beyond the ends
            low, high = spread_of(one, [float_at(sort, inside[place]) for place in (0, 0, 1, 2)], are_ends=True)
            step = random.randrange(50)
            beyond = [inside[0] + step, inside[0] + step, inside[1] - step, inside[2] - step]
            assert low <= value_of(one, [float_at(sort, place) for place in beyond])
            before = [inside[0] - step, inside[0] - step, inside[1] + step, inside[2] + step]
            assert value_of(one, [float_at(sort, place) for place in before]) <= high


def bits_of(sort: Float, places: Sequence[int]) -> tuple[int, ...]:
    own, *others = (sf.from_ordinal(sort, place) for place in places)
    return own, own, *others


def test_a_softmax_of_infinities_is_no_number() -> None:
    """A search that narrows what a condition allows a score comes to infinities, which no score may be."""
    own, other = (build.var(name, FLOAT32) for name in "ab")
    function = link_function.LinkFunction(Link("p", "softmax", ("a", "a", "b"), 32, exact=True), (own, own, other))
    everything = Floats(~FLOAT32.infinity, FLOAT32.infinity, True)
    for low in (FLOAT32.infinity, 0):
        given = Floats(low, FLOAT32.infinity, False)
        assert function.over((given, given, given)) == everything
    assert function.value((FLOAT32.infinity,) * 3) == FLOAT32.nan
