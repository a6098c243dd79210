"""Links over ranges: what the engine computes inside lies within, and the engine's own bounds are not narrower."""

from __future__ import annotations

from random import Random
from typing import Literal, get_args

import pytest

from soid.engine.learned import links
from soid.engine.learned.cuts import to_float32
from soid.engine.learned.model import Link, LinkFunction
from soid.evidence.learned.plain_links import linked

FUNCTIONS: tuple[LinkFunction, ...] = get_args(LinkFunction)
SHARED = ("softmax", "softmax_in_order", "share")


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("precision", [32, 64])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_link_over_a_range(function: LinkFunction, precision: Literal[32, 64], exact: bool) -> None:
    if (function in ("logistic", "single") and precision == 64) or (function == "softplus" and precision == 32):
        return  # no library has it
    names = ("a", "a", "b", "c") if function in SHARED else ("a",)
    link = Link("number", function, names, precision, exact=exact)
    random, cast = Random(f"{function}{precision}"), to_float32 if precision == 32 else float
    for _ in range(120):
        lows, highs = {}, {}
        for name in dict.fromkeys(names):
            size = random.choice([0.01, 1.0, 12.0, 40.0])
            ends = [cast(abs(each) if function == "share" else each) for each in (random.gauss(0, size) for _ in "12")]
            lows[name], highs[name] = min(ends), max(ends)
            if random.random() < 0.3:
                highs[name] = lows[name]
        given = [(lows[name], highs[name]) for name in names]
        low, high = linked(link, given)
        widest = links.over(link, [each for each, _ in given], [each for _, each in given])
        assert widest[0] <= low and high <= widest[1]
        for _ in range(5):
            inside = {name: cast(random.uniform(lows[name], highs[name])) for name in lows}
            at = [min(max(inside[name], lows[name]), highs[name]) for name in names]
            assert low <= links.value_of(link, at) <= high


def test_a_sigmoid_at_a_point_is_that_of_the_c_library() -> None:
    link = Link("probability", "sigmoid", ("score",), 32, exact=True)
    for place in range(-200, 200):
        score = to_float32(place * 0.137)
        expected = links.value_of(link, [score])
        assert linked(link, [(score, score)]) == (expected, expected)
