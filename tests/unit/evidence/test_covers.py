"""The checker of covers accepts a cover only if no state satisfies the formula, and only if no state is left out."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from soid.documents import json_of
from soid.errors import BundleError
from soid.evidence.covers import CoverDocument, recheck
from soid.formula import build as b
from soid.formula.passes import free_variables
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BOOL, FLOAT32, BitVec
from soid.formula.term import Term
from soid.solver.box_splitter import cover
from soid.solver.protocol import Unsat
from tests.exhaustive import ExhaustiveSolver
from tests.randomness import SEEDED
from tests.unit.solver.test_box_splitter import conditions

X = b.var("x", BitVec(32))
READ = b.fp_from_bits(FLOAT32, X)


def number(value: int) -> Term:
    return b.const(FLOAT32, value)


ONE, HALF_MORE, STEP = number(0x3F800000), number(0x3FC00000), number(0x3F15C28F)  # 1.0, 1.5, 0.585
FOURTH = b.eq(b.fp_to_signed(Rounding.RTZ, 32, b.fp_div(READ, STEP)), b.const(BitVec(32), 4))
QUESTION = [b.fp_leq(ONE, READ), b.fp_leq(READ, HALF_MORE), FOURTH]


def everything(terms: list[Term]) -> dict[str, Any]:
    """The cover of one box, which holds all states."""
    variables = sorted(free_variables(terms), key=lambda term: term.name)
    orders = ["bool" if term.sort is BOOL else "unsigned" for term in variables]
    sides = [[0, term.sort.mask if isinstance(term.sort, BitVec) else 1] for term in variables]
    return {
        "variables": [{"name": term.name, "order": order} for term, order in zip(variables, orders, strict=True)],
        "boxes": [sides],
    }


def outcome(terms: list[Term]) -> str:
    """Why the checker does not accept one box that holds all states; empty if it does."""
    try:
        return recheck(everything(terms), terms)
    except BundleError as error:
        return error.cause


@given(random=SEEDED)
@settings(max_examples=50)
def test_the_checker_is_content_only_where_there_is_no_state(random: Random) -> None:
    terms = conditions(random)
    if not free_variables(terms):
        return
    expected = isinstance(ExhaustiveSolver().check(terms), Unsat)
    told = outcome(terms)
    assert "satisfies" not in told or not expected
    assert told or expected
    boxes = cover(terms)
    if boxes is not None:
        recheck(json_of(CoverDocument.of(boxes)), terms)  # which does not raise: it is a cover


def test_the_boxes_of_a_search_are_a_cover():
    boxes = cover(QUESTION)
    assert boxes is not None
    assert recheck(json_of(CoverDocument.of(boxes)), QUESTION) == ""


def test_a_cover_that_leaves_something_out_is_refused():
    boxes = cover(QUESTION)
    assert boxes is not None
    given = json_of(CoverDocument.of(boxes))
    with pytest.raises(BundleError, match="leaves states out"):
        recheck(given | {"boxes": given["boxes"][1:]}, QUESTION)
    moved = [[[low, high + (number == 0)] for low, high in box] for number, box in enumerate(given["boxes"])]
    with pytest.raises(BundleError, match="leaves states out"):
        recheck(given | {"boxes": moved}, QUESTION)
    with pytest.raises(BundleError, match="leaves states out"):
        recheck(given | {"boxes": given["boxes"] * 2}, QUESTION)


def test_boxes_that_overlap_are_refused():
    p, q = b.var("p", BOOL), b.var("q", BOOL)
    variables = [{"name": "p", "order": "bool"}, {"name": "q", "order": "bool"}]
    twice = [[[0, 0], [0, 1]], [[0, 0], [0, 1]]]
    with pytest.raises(BundleError, match="overlap"):
        recheck({"variables": variables, "boxes": twice}, [p, q, b.not_(p)])


def test_a_cover_of_what_can_be_is_refused():
    can_be = [b.fp_leq(ONE, READ), b.fp_leq(READ, ONE)]
    with pytest.raises(BundleError, match="satisfies its formula"):
        recheck({"variables": [{"name": "x", "order": "float"}], "boxes": [[[-(1 << 31), (1 << 31) - 1]]]}, can_be)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"variables": [], "boxes": []},
        {"variables": [{"name": "x", "order": "float"}], "boxes": [[["a", 1]]]},
        {"variables": [{"name": "x", "order": "float"}], "boxes": [[[0, True]]]},
        {"variables": [{"name": "y", "order": "float"}], "boxes": []},
        {"variables": [{"name": "x", "order": "alphabetical"}], "boxes": []},
        {"variables": 7, "boxes": None},
    ],
)
def test_what_is_no_cover_is_refused(given):
    with pytest.raises(BundleError):
        recheck(given, QUESTION)
