"""The checker of covers accepts a cover only if no state satisfies the formula, and only if no state is left out."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from soid.documents import json_of
from soid.errors import BundleError
from soid.evidence.cover_spans import CoverSpan, spans_of
from soid.evidence.covers import CoverDocument, recheck
from soid.formula import build as b
from soid.formula import softfloat as sf
from soid.formula.passes import evaluate_all, free_variables
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BOOL, FLOAT32, BitVec, Float
from soid.formula.term import Term, postorder
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


def everything(terms: list[Term], order: str = "unsigned") -> dict[str, Any]:
    """The cover of one box, which holds all states."""
    variables = sorted(free_variables(terms), key=lambda term: term.name)
    orders = ["bool" if term.sort is BOOL else order for term in variables]
    sides = [list(whole(term, order)) for term, order in zip(variables, orders, strict=True)]
    return {
        "variables": [{"name": term.name, "order": order} for term, order in zip(variables, orders, strict=True)],
        "boxes": [sides],
    }


def whole(term: Term, order: str) -> tuple[int, int]:
    """The first and the last place of a variable."""
    last = term.sort.mask if isinstance(term.sort, BitVec) else 1
    return (0, last) if order in ("bool", "unsigned") else (-(last + 1) // 2, last // 2)


def outcome(terms: list[Term], order: str) -> str:
    """Why the checker does not accept one box that holds all states; empty if it does."""
    try:
        return recheck(everything(terms, order), terms)
    except BundleError as error:
        return error.cause


@given(random=SEEDED)
@settings(max_examples=50)
def test_the_checker_is_content_only_where_there_is_no_state(random: Random) -> None:
    terms = conditions(random)
    if not free_variables(terms):
        return
    expected = isinstance(ExhaustiveSolver().check(terms), Unsat)
    told = outcome(terms, random.choice(("unsigned", "signed", "float")))
    assert "satisfies" not in told or not expected
    assert told or expected
    boxes = cover(terms)
    if boxes is not None:
        recheck(json_of(CoverDocument.of(boxes)), terms)  # which does not raise: it is a cover


def bits_at(order: str, place: int, mask: int) -> int:
    """The bits at a place; those of a float with its sign set run the other way."""
    return place & mask if order != "float" or place >= 0 else mask // 2 - place


@given(random=SEEDED)
@settings(max_examples=150)
def test_what_terms_are_at_a_state_lies_in_the_spans_of_a_box_around_it(random: Random) -> None:
    order = postorder(conditions(random))
    sides, state = {}, {}
    for term in (term for term in order if term.is_var):
        kind = "bool" if term.sort is BOOL else random.choice(("unsigned", "signed", "float"))
        first, last = whole(term, kind)
        low, at, high = sorted(random.randint(first, last) for _ in range(3))
        sides[term] = kind, (low, high)
        state[term] = bool(at) if term.sort is BOOL else bits_at(kind, at, last if first == 0 else last - first)
    found = spans_of(order, sides, {})
    for term, value in zip(order, evaluate_all(order, state), strict=True):
        span = found[term]
        if isinstance(term.sort, Float):
            nan = sf.is_nan(term.sort, value)
            assert span.nan if nan else span.low <= sf.ordinal(term.sort, value) <= span.high, (term, span, value)
        else:
            wrapped = (int(value), int(value) - term.sort.mask - 1 if isinstance(term.sort, BitVec) else 0)
            assert any(span.low <= each <= span.high for each in wrapped), (term, span, value)


@pytest.mark.parametrize(
    ("low", "high", "below"), [(-(1 << 31), 4999, 1), (-7, 5000, None), (-7, 7, 1), (5000, 9999, 0)]
)
def test_a_range_from_negative_numbers_to_others_is_compared_as_a_whole(low, high, below):
    """Else a cover would be halved along each of its variables until it is cut at zero."""
    bound = b.const(BitVec(32), 5000)
    less, same, real = b.bvslt(X, bound), b.eq(X, bound), b.fp_from_signed(FLOAT32, X)
    found = spans_of(postorder([less, same, real]), {X: ("signed", (low, high))}, {})
    assert found[less] == (CoverSpan(0, 1) if below is None else CoverSpan(below, below))
    assert (found[same] == CoverSpan(0, 0)) is (below == 1)
    first, last = (sf.ordinal(FLOAT32, sf.from_fraction(FLOAT32, Fraction(end))) for end in (low, high))
    assert found[real] == CoverSpan(first, last)


@pytest.mark.parametrize("beyond", [(0x7F800001, 0x7FFFFFFF), (-(1 << 31), -0x7F800002), (0x7F800001, 0x7F800001)])
def test_a_box_beyond_the_infinities_has_no_number(beyond):
    """Else a cover would be halved for each NaN that is not the one that stands for what is missing."""
    terms = [b.fp_is_nan(READ), b.fp_is_inf(READ), b.fp_lt(READ, ONE), b.fp_leq(ONE, READ), b.fp_eq(READ, READ)]
    found = spans_of(postorder(terms), {X: ("float", beyond)}, {})
    assert [found[term] for term in terms] == [CoverSpan(1, 1), *[CoverSpan(0, 0)] * 4]


def test_what_is_missing_is_checked_without_looking_at_every_nan():
    """One NaN stands for what is missing, as the domain of a model's feature says it."""
    missing, own = b.fp_is_nan(READ), b.eq(X, b.const(BitVec(32), FLOAT32.nan))
    assert outcome([missing, b.or_(b.not_(missing), own), b.not_(own)], "float") == ""


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
