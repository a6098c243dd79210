"""Thresholds of an application: one whose bound is guessed decides only what every bound of its range decides."""

from __future__ import annotations

import operator
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from hypothesis import assume, given
from hypothesis import strategies as st

from soid.engine.learned.learned_source import OpenBound, Threshold
from soid.evidence.learned.model_run import compare_run
from soid.formula import softfloat as sf
from soid.witness.witness import Shows, Witness
from tests.unit.engine.learned.test_learned_engine import binary, engine_of, ran, stump

COMPARISONS: Final[dict[Any, Any]] = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}
#: a few floats next to each other, so that ends are met
NUMBERS: Final = st.integers(0x3F000000, 0x3F000006).map(sf.bits32_to_float)
EPSILON: Final = Fraction(1, 10**12)  # less than these floats are apart


@given(NUMBERS, NUMBERS, NUMBERS, st.sampled_from(sorted(COMPARISONS)))
def test_a_guessed_bound_decides_what_all_of_its_range_decide(a: float, b: float, score: float, sign: Any) -> None:
    """The application may compare with `>` what was guessed as `>=`. Engine, library's run and bundle's check agree."""
    over, upto = sorted((a, b))
    assume(over < upto)
    guessed = Threshold("approve", "score", sign, str(Decimal(upto)), OpenBound(str(Decimal(over)), str(Decimal(upto))))
    engine = engine_of(binary(trees=(stump(left=score).done(),)), guessed)
    run = ran(engine, capital_gain=0.0)
    low, high, middle = Fraction(over), Fraction(upto), Fraction(over + upto) / 2
    closed = (">=", "<")  # with these a bound at the greater number gives the logged rows, else one at the less
    signs = [each for each in COMPARISONS if (each in (">=", ">")) == (sign in (">=", ">"))]
    bounds = {each: [low + EPSILON, middle, high if each in closed else high - EPSILON] for each in signs}
    bounds |= {each: [low, *bounds[each]] for each in signs if each not in closed}
    possible = {COMPARISONS[each](Fraction(score), bound) for each in signs for bound in bounds[each]}
    known = possible.pop() if len(possible) == 1 else None
    assert guessed.holds(Fraction(score)) == run.outputs.get("approve") == known
    assert run.keeps(0, "approve") == (known is None)
    shown = Witness(
        Shows.EXAMPLE, engine.interface, {"capital_gain": 0}, (), {"approve": int(bool(known))}, run.path.ending, "", ""
    )
    assert compare_run(engine.learned, shown, ()) == ("approve hangs on a guessed bound" if known is None else "")
