"""Covers about networks: those made from a search are shown without one, and any that was changed is not."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from soid.budget import UNLIMITED, Budget, Cancellation, Deadline
from soid.documents import json_of
from soid.engine.learned.model import LearnedModel
from soid.engine.learned.network import Affine
from soid.engine.protocol import Exploration
from soid.engine.summary import Approximation
from soid.errors import BundleError
from soid.evidence.covers import MOST_BOXES, CoverDocument, read_cover
from soid.evidence.learned import network_covers, network_slopes
from soid.evidence.learned.certified_covers import certified
from soid.evidence.learned.model_covers import recheck
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


# --- trees over signs -----------------------------------------------------------------------------------------------

WIDE = (12, 24, 24, 3)


@pytest.fixture(scope="module")
def signed() -> tuple[dict[str, Any], Asked]:
    """A proof with so many free inputs that a search splits signs."""
    given = asked(0, 0.2, WIDE)
    cover_cells(given[0], box_functions(given[1]), 0, UNLIMITED.started(), Cancellation())
    return covered(given), given


def tree_of(cover: dict[str, Any]) -> dict[str, Any]:
    (tree,) = next(trees for trees in cover["splits"] if trees)
    found: dict[str, Any] = tree
    return found


def test_a_proof_by_signs_is_shown_by_a_tree_over_them(signed: Any) -> None:
    cover, given = signed
    tree = tree_of(cover)
    assert recheck(cover, *given) == ""
    assert len(tree["leaves"]) > 8 and any(by > 0 for leaf in tree["leaves"] for *_, by in leaf["signs"])
    inside = [trees for trees, bounds in zip(cover["splits"], cover["bounds"], strict=True) if None not in bounds]
    assert inside == [[tree]]  # one box, of which the number is bounded in all of it


def test_without_its_tree_the_same_box_has_wrong_bounds(signed: Any) -> None:
    cover, given = signed
    bare = {name: each for name, each in cover.items() if name != "splits"}
    with pytest.raises(BundleError, match="wrong bound"):
        recheck(bare, *given)


def leaf_gone(cover: dict[str, Any]) -> None:
    tree_of(cover)["leaves"].pop(3)


def sign_flipped(cover: dict[str, Any]) -> None:
    """In one leaf."""
    signs = tree_of(cover)["leaves"][3]["signs"]
    signs[-1][2] *= -1


def split_flipped(cover: dict[str, Any]) -> None:
    """In all leaves below a split, which is still one."""
    leaves = tree_of(cover)["leaves"]
    element = leaves[0]["signs"][0][:2]
    for leaf in leaves:
        assert leaf["signs"][0][:2] == element
        leaf["signs"][0][2] *= -1


def below_zero(cover: dict[str, Any]) -> None:
    leaf = next(leaf for leaf in tree_of(cover)["leaves"] if leaf["signs"][0][3] > 0)
    leaf["signs"][0][3] *= -1


def not_split(cover: dict[str, Any]) -> None:
    """A multiplier of an element whose other sign no leaf has."""
    leaves = tree_of(cover)["leaves"]
    used = {tuple(sign[:2]) for leaf in leaves for sign in leaf["signs"]}
    layer, element = next((layer, each) for layer in (0, 1) for each in range(24) if (layer, each) not in used)
    leaves[0]["signs"].append([layer, element, 1, 1.0])


def no_element(cover: dict[str, Any]) -> None:
    for leaf in tree_of(cover)["leaves"]:
        for sign in leaf["signs"]:
            sign[1] += 24


def of_another_number(cover: dict[str, Any]) -> None:
    tree_of(cover)["number"] = "score of step 1"


def splits_gone(cover: dict[str, Any]) -> None:
    cover["splits"].pop()


def other_side(cover: dict[str, Any]) -> None:
    """The tree bounds the number from the other side."""
    tree = tree_of(cover)
    tree["side"] = "low" if tree["side"] == "high" else "high"


def without_multipliers(cover: dict[str, Any]) -> None:
    """True bounds, and worse ones."""
    for leaf in tree_of(cover)["leaves"]:
        for sign in leaf["signs"]:
            sign[3] = 0.0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (leaf_gone, "one is missing"),
        (sign_flipped, "one is missing"),
        (split_flipped, "wrong bound"),
        (below_zero, "below zero"),
        (not_split, "one is missing"),
        (no_element, "none of this network"),
        (of_another_number, "does not have"),
        (splits_gone, "splits of other boxes"),
        (other_side, "wrong bound"),
        (without_multipliers, "wrong bound"),
    ],
)
def test_a_changed_tree_is_refused(change: Callable[[dict[str, Any]], None], why: str, signed: Any) -> None:
    cover, given = signed
    changed = copy.deepcopy(cover)
    change(changed)
    with pytest.raises(BundleError, match=why):
        recheck(changed, *given)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-1", '"1"', "1e400"])
def test_a_multiplier_that_is_no_number_is_refused(value: str, signed: Any) -> None:
    cover, given = signed
    changed = copy.deepcopy(cover)
    tree_of(changed)["leaves"][0]["signs"][0][3] = json.loads(value)
    with pytest.raises(BundleError):
        recheck(changed, *given)


def test_any_multiplier_that_is_not_below_zero_shows_no_more_than_is_true(signed: Any) -> None:
    """Bounds that are stated as they follow from changed multipliers and slopes are worse, and true."""
    cover, given = signed
    terms, numbers, model = given
    draw = np.random.default_rng(5)
    read = read_cover(cover, terms, numbers)
    (row,) = (row for row, trees in enumerate(read.splits) if trees)
    before = network_covers.numbers_in_boxes(read, [row], numbers, model, UNLIMITED.started())
    for factor in (1e-12, 0.5, 3.0, 1e30, 1e300):
        changed = copy.deepcopy(cover)
        for leaf in tree_of(changed)["leaves"]:
            for sign in leaf["signs"]:
                sign[3] *= factor * draw.random()
        other = read_cover(changed, terms, numbers)
        after = network_covers.numbers_in_boxes(other, [row], numbers, model, UNLIMITED.started())
        for symbol, ends in after.items():
            assert ends[row][0] <= before[symbol][row][0] + 1e-3 and ends[row][1] >= before[symbol][row][1] - 1e-3
        with pytest.raises(BundleError, match="wrong bound"):
            recheck(changed, *given)


def bias_moved(model: LearnedModel, class_: int, by: float) -> LearnedModel:
    """The network with another bias of one class."""
    (one,) = model.networks
    *layers, last = one.layers
    assert isinstance(last, Affine)
    bias = np.frombuffer(last.bias).copy()
    bias[class_] += by
    return replace(model, networks=(replace(one, layers=(*layers, replace(last, bias=bias.tobytes()))),))


def test_a_network_that_is_a_little_worse_does_not_have_these_bounds(signed: Any) -> None:
    cover, (terms, numbers, model) = signed
    tree = tree_of(cover)
    first, second = (int(each[1:]) for each in tree["number"].split(" of step")[0].split("lead of ")[1].split(" over "))
    worse = 1e-6 if tree["side"] == "high" else -1e-6  # "high": the lead of the first is said to be small enough
    for class_, by in ((first, worse), (second, -worse)):
        with pytest.raises(BundleError, match="wrong bound"):
            recheck(cover, terms, numbers, bias_moved(model, class_, by))


def test_bounds_of_a_tree_by_one_float_too_narrow_are_refused(signed: Any) -> None:
    cover, given = signed
    changed = copied(cover)
    tightened(changed, 0 if tree_of(cover)["side"] == "low" else 1)
    with pytest.raises(BundleError, match="wrong bound"):
        recheck(changed, *given)


def test_a_tree_for_which_there_is_no_time_is_not_shown(signed: Any) -> None:
    cover, given = signed
    terms, numbers, model = given
    assert "there was no time" in recheck(cover, terms, numbers, model, Budget(0.0))


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


@pytest.mark.fuzz
@pytest.mark.timeout(1800)
def test_trees_over_signs_of_many_networks_are_shown() -> None:
    trees = 0
    for seed in range(60):
        given = asked(seed, (0.15, 0.2, 0.25)[seed % 3], WIDE)
        for most in (0, MOST_BOXES):
            found = cover_cells(given[0], box_functions(given[1]), most, Budget(5.0).started(), Cancellation())
        if isinstance(found, Cover):
            cover = covered(given)
            assert recheck(cover, *given) == ""
            trees += sum(map(len, cover.get("splits", ())))
    assert trees > 5, trees
