from __future__ import annotations

import math

import pytest

from soid.engine.learned import link_function
from soid.engine.learned.links import over, spread_of, value_of
from soid.engine.learned.model import Link, LinkFunction
from soid.formula import build
from soid.formula.intervals import Floats
from soid.formula.sorts import FLOAT32


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


def test_a_softmax_of_infinities_is_no_number() -> None:
    """A search that narrows what a condition allows a score comes to infinities, which no score may be."""
    own, other = (build.var(name, FLOAT32) for name in "ab")
    function = link_function.LinkFunction(Link("p", "softmax", ("a", "a", "b"), 32, exact=True), (own, own, other))
    everything = Floats(~FLOAT32.infinity, FLOAT32.infinity, True)
    for low in (FLOAT32.infinity, 0):
        given = Floats(low, FLOAT32.infinity, False)
        assert function.over((given, given, given)) == everything
    assert function.value((FLOAT32.infinity,) * 3) == FLOAT32.nan
