"""Covers about networks: those made from a search are shown without one, and any that was changed is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from soid.budget import UNLIMITED, Cancellation, Deadline
from soid.documents import json_of
from soid.engine.learned.model import LearnedModel
from soid.engine.protocol import Exploration
from soid.engine.summary import Approximation
from soid.errors import BundleError
from soid.evidence.covers import MOST_BOXES, CoverDocument, read_cover
from soid.evidence.learned import network_covers, network_slopes
from soid.evidence.learned.model_covers import recheck
from soid.evidence.learned.network_covers import certified
from soid.evidence.learned.plain_trees import NotChecked
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.build import TRUE
from soid.formula.checker import Impossible
from soid.formula.sorts import FLOAT64
from soid.formula.term import Term
from soid.oracle.inquiry import box_functions
from soid.solver.box_splitter import Cover
from soid.solver.cell_search import cover_cells
from tests.small_networks import engine_of, model_of, native, random_network

Asked = tuple[list[Term], Sequence[Approximation], LearnedModel]


def asked(seed: int, width: float, sizes: Sequence[int] = (3, 8, 8, 8, 3)) -> Asked:
    """Whether somewhere around a point the class that wins there does not lead another one."""
    draw = np.random.default_rng(seed)
    one = random_network(draw, sizes)
    model = model_of(one, sizes[-1])
    engine = engine_of(model)
    exploration = Exploration({}, TRUE, lambda _: Impossible(), UNLIMITED.started(), Cancellation())
    summary = engine.explore(exploration)
    center = draw.uniform(-1, 1, sizes[0])
    order = native(one, center.astype(np.float32)[None])[0].argsort()
    first, second = sorted((int(order[-1]), int(order[0])))
    side = "greatest" if first == order[0] else "least"
    lead = next(one for one in summary.approximations if one.function == f"{side} lead of y{first} over y{second}")
    zero = build.const(FLOAT64, 0)
    terms = [build.fp_leq(zero, lead.symbol) if side == "greatest" else build.fp_lt(lead.symbol, zero)]
    for variable, x in zip(engine.interface.inputs, center.tolist(), strict=True):
        read = build.fp_from_bits(FLOAT64, variable.symbol)
        ends = [build.const(FLOAT64, sf.float_to_bits64(x + by)) for by in (-width, width)]
        terms += [build.fp_leq(ends[0], read), build.fp_leq(read, ends[1])]
    return terms, summary.approximations, model


def covered(given: Asked) -> dict[str, Any]:
    terms, numbers, model = given
    found = cover_cells(terms, box_functions(numbers), MOST_BOXES, UNLIMITED.started(), Cancellation())
    assert isinstance(found, Cover)
    cover = read_cover(json_of(CoverDocument.of(found)), terms, numbers)
    made = certified(cover, terms, numbers, model, UNLIMITED.started())
    assert made is not None
    document: dict[str, Any] = json_of(made.document)
    return document


@pytest.fixture(scope="module")
def proof() -> tuple[dict[str, Any], Asked]:
    for seed in range(40):
        given = asked(seed, 0.4)
        found = cover_cells(given[0], box_functions(given[1]), 60, UNLIMITED.started(), Cancellation())
        if isinstance(found, Cover) and len(found.boxes) > 14:
            return covered(given), given
    raise AssertionError("no such proof")


def copied(cover: dict[str, Any]) -> dict[str, Any]:
    return {
        **cover,
        "boxes": [[[*side] for side in box] for box in cover["boxes"]],
        "bounds": [[each and [*each] for each in box] for box in cover["bounds"]],
        "slopes": [[*each] for each in cover["slopes"]],
    }


def test_a_cover_is_shown_by_its_slopes(proof: Any) -> None:
    cover, given = proof
    assert recheck(cover, *given) == ""
    assert any("g" in text and "0" in text for each in cover["slopes"] for text in each)


def test_without_slopes_those_of_the_ranges_are_taken(proof: Any) -> None:
    cover, given = proof
    bare = {name: each for name, each in cover.items() if name != "slopes"}
    assert recheck(bare, *given) == ""


def test_what_time_does_not_suffice_for_is_not_shown(proof: Any) -> None:
    cover, given = proof
    _, numbers, model = given
    read = read_cover(cover, given[0], numbers)
    rows = [row for row, bounds in enumerate(read.bounds) if None not in bounds]
    with pytest.raises(NotChecked, match=f"0 of {len(rows)} were checked"):
        network_covers.numbers_in_boxes(read, rows, numbers, model, Deadline(0.0))
    assert certified(read, given[0], numbers, model, Deadline(0.0)) is None


def test_boxes_that_the_checker_s_bounds_do_not_exclude_are_halved(proof: Any) -> None:
    """The whole family as one box, which a search would not have left as it is."""
    cover, given = proof
    terms, numbers, model = given
    inside = [place for place, bounds in enumerate(cover["bounds"]) if None not in bounds]
    sides = zip(*(cover["boxes"][place] for place in inside), strict=True)
    whole = [[min(low for low, _ in side), max(high for _, high in side)] for side in sides]
    outside = [place for place in range(len(cover["boxes"])) if place not in inside]
    boxes = [*(cover["boxes"][place] for place in outside), whole]
    bounds = [*(cover["bounds"][place] for place in outside), [[-2, 1] for _ in cover["numbers"]]]
    bare = {name: each for name, each in cover.items() if name != "slopes"}
    made = certified(
        read_cover(bare | {"boxes": boxes, "bounds": bounds}, terms, numbers),
        terms,
        numbers,
        model,
        UNLIMITED.started(),
    )
    assert made is not None and len(made.boxes) > len(boxes)
    assert recheck(json_of(made.document), *given) == ""


# --- what was changed is found ------------------------------------------------------------------------------------


def bounded(cover: dict[str, Any]) -> int:
    return next(place for place, each in enumerate(cover["bounds"]) if None not in each)


def shifted(cover: dict[str, Any]) -> None:
    cover["boxes"][bounded(cover)][0][1] += 1


def gone(cover: dict[str, Any]) -> None:
    place = bounded(cover)
    del cover["boxes"][place], cover["bounds"][place], cover["slopes"][place]


def tightened(cover: dict[str, Any], end: int) -> None:
    """By one float: the bounds are those that the checker has."""
    for bounds in cover["bounds"]:
        for ends in filter(None, bounds):
            ends[end] += 1 if end == 0 else -1


def turned(cover: dict[str, Any]) -> None:
    swap = str.maketrans("0g", "g0")
    cover["slopes"] = [[text.translate(swap) for text in each] for each in cover["slopes"]]


def too_short(cover: dict[str, Any]) -> None:
    cover["slopes"][bounded(cover)][0] += "0"


def no_digit(cover: dict[str, Any]) -> None:
    place = bounded(cover)
    cover["slopes"][place][0] = "h" + cover["slopes"][place][0][1:]


def of_other_boxes(cover: dict[str, Any]) -> None:
    cover["slopes"].pop()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (shifted, "leaves states out"),
        (gone, "leaves states out"),
        (turned, "wrong bound"),
        (too_short, "none of this network"),
        (no_digit, "none of this network"),
        (of_other_boxes, "slopes of other boxes"),
    ],
)
def test_a_changed_cover_is_refused(change: Callable[[dict[str, Any]], None], why: str, proof: Any) -> None:
    cover, given = proof
    changed = copied(cover)
    change(changed)
    with pytest.raises(BundleError, match=why):
        recheck(changed, *given)


def test_bounds_by_one_float_too_narrow_are_refused(proof: Any) -> None:
    cover, given = proof
    (number,) = (one.enclosure.number for one in given[1] if one.symbol.name == cover["numbers"][0])
    changed = copied(cover)
    tightened(changed, number.end)
    with pytest.raises(BundleError, match="wrong bound"):
        recheck(changed, *given)


def test_bounds_that_exclude_nothing_prove_nothing(proof: Any) -> None:
    cover, given = proof
    far = sf.total_order(FLOAT64, sf.float_to_bits64(1e9))
    wide = [[each and [-1 - far, far] for each in box] for box in cover["bounds"]]
    assert "no condition excludes" in recheck(cover | {"bounds": wide}, *given)


def test_another_network_does_not_have_these_bounds(proof: Any) -> None:
    cover, (terms, numbers, _) = proof
    draw = np.random.default_rng(99)
    other = model_of(random_network(draw, (3, 8, 8, 8, 3)), 3)
    with pytest.raises(BundleError, match="wrong bound"):
        recheck(cover, terms, numbers, other)


def test_slopes_are_written_as_digits() -> None:
    text = network_slopes.written(np.array([0.0, 0.5, 1.0, 0.06]))
    assert text == "08g1"
    (read,) = network_slopes.read([text], [4])
    assert read.tolist() == [0.0, 0.5, 1.0, 0.0625]


@pytest.mark.fuzz
def test_covers_of_many_networks_are_shown() -> None:
    shown = boxes = 0
    for seed in range(200):
        given = asked(seed, (0.05, 0.2, 0.4)[seed % 3])
        found = cover_cells(given[0], box_functions(given[1]), 400, UNLIMITED.started(), Cancellation())
        if isinstance(found, Cover):
            cover = covered(given)
            assert recheck(cover, *given) == ""
            shown, boxes = shown + 1, boxes + len(cover["boxes"])
    assert shown > 60 and boxes > 1000, (shown, boxes)
