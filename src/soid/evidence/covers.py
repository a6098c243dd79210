"""Covers: boxes that together contain every state; in each box some condition is false everywhere.

    1.0 <= x <= 1.5,  (int)(x / 0.585) == 4      boxes: below 1.0, 1.0 to 1.5, above 1.5

A box has an interval of places for each variable, where a place is a position in an order of its values: floats are
ordered as numbers, with NaNs beyond the infinities. The boxes are disjoint and their total volume is that of the whole
space, so they leave no state out. The conditions are evaluated with intervals on each box; a box on which all of them
may be true is halved a few times.

Where a condition is about sums of products, such as the layers of a network, intervals are too wide, and its boxes come
from affine forms; so do the values here (`soid.evidence.form_spans`), and no box is halved.

Where a formula mentions numbers of a learned model, each box comes with their bounds. What is checked here is that the
conditions exclude the box with these bounds; that they are bounds is checked by `soid.evidence.learned.model_covers`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from msgspec import UNSET, Struct, UnsetType, ValidationError, convert

from soid.budget import UNLIMITED, Budget, Deadline
from soid.engine.summary import Approximation, add_results
from soid.errors import BundleError
from soid.evidence.cover_spans import CoverSpan, Sides, anything, spans_of, value, variable
from soid.evidence.sign_trees import SignTree, check_trees
from soid.formula import operators as ops
from soid.formula.passes import evaluate_all
from soid.formula.sorts import BitVec, Bool
from soid.formula.term import Term, postorder
from soid.solver.box_splitter import Cover

MOST_BOXES: Final = 5_000
HALVINGS: Final = 20_000  # over all boxes

Box = tuple[tuple[int, int], ...]
Bounds = tuple[tuple[int, int] | None, ...]


@final
class CoverVariable(Struct, frozen=True):
    """A variable, and the name of its order, as JSON."""

    name: str
    order: str


@final
class CoverDocument(Struct, frozen=True):
    """A cover as a bundle has it; a box has a side for each variable."""

    variables: list[CoverVariable]
    boxes: list[Box]
    numbers: list[str] | UnsetType = UNSET  # of a learned model
    bounds: list[Bounds] | UnsetType = UNSET  # in each box those of each number: places of floats
    slopes: list[list[str]] | UnsetType = (
        UNSET  # of a network, in each box: of each ReLU layer a digit for each element
    )
    splits: list[list[SignTree]] | UnsetType = UNSET  # of a network, in each box: where signs of ReLUs are split
    forms: bool | UnsetType = UNSET  # whether it takes affine forms to see that a condition is false in a box

    @classmethod
    def of(cls, cover: Cover) -> CoverDocument:
        variables = [CoverVariable(term.name, order) for term, order in cover.variables]
        if not cover.numbers:
            return cls(variables, list(cover.boxes))
        return cls(variables, list(cover.boxes), [term.name for term in cover.numbers], list(cover.bounds))


@final
class GivenCover(Struct, frozen=True):
    """A cover that was read: sides and bounds are in the order of variables and numbers here."""

    variables: tuple[Term, ...]
    orders: tuple[str, ...]
    boxes: tuple[Box, ...]
    numbers: tuple[Term, ...]
    bounds: tuple[Bounds, ...]
    slopes: tuple[Sequence[str], ...] = ()  # of each box, if the cover has them
    splits: tuple[Sequence[SignTree], ...] = ()  # the same
    forms: bool = False

    @property
    def document(self) -> CoverDocument:
        variables = [CoverVariable(term.name, order) for term, order in zip(self.variables, self.orders, strict=True)]
        slopes = [[*each] for each in self.slopes] if self.slopes else UNSET
        splits = [[*each] for each in self.splits] if any(self.splits) else UNSET
        numbers = [term.name for term in self.numbers]
        return CoverDocument(variables, list(self.boxes), numbers, list(self.bounds), slopes, splits)

    def sides(self, box: Box) -> Sides:
        return dict(zip(self.variables, zip(self.orders, box, strict=True), strict=True))

    def known(self, bounds: Bounds) -> dict[Term, CoverSpan]:
        """The numbers within bounds."""
        pairs = zip(self.numbers, bounds, strict=True)
        return {term: anything(term.sort) if ends is None else CoverSpan(*ends) for term, ends in pairs}


def recheck(
    given: Mapping[str, Any],
    terms: Sequence[Term],
    numbers: Sequence[Approximation] = (),
    budget: Budget = UNLIMITED,
) -> str:
    """Check that a cover shows the terms to be unsatisfiable together; the result is why not, or empty if it does.

    Raises a BundleError for data that is no cover, or a cover that leaves a state out. `numbers` are results of
    functions that the terms may mention: of a learned model, whose bounds are taken for granted, or of a library.
    """
    cover, deadline = read_cover(given, terms, numbers), budget.started()
    widths = [_whole(term, order) for term, order in zip(cover.variables, cover.orders, strict=True)]
    _covers_all(cover.boxes, widths)
    if cover.forms:
        return _recheck_forms(cover, FormConditions(terms, numbers), deadline)
    left, conditions = HALVINGS, Conditions(terms)
    for box, bounds in zip(cover.boxes, cover.bounds, strict=True):
        known, waiting = cover.known(bounds), [box]
        while waiting:
            part = waiting.pop()
            left -= 1
            if left < 0:
                return f"its boxes take more than {HALVINGS} halvings"
            if conditions.exclude(cover.sides(part), known):
                continue
            halves = _halved(part)
            if not halves and cover.numbers:
                return f"with its bounds no condition excludes the state {part}"
            if not halves and _satisfied(terms, cover, part):
                raise BundleError(f"a cover holds a state that satisfies its formula: {part}")
            waiting += halves
    return ""


def _recheck_forms(cover: GivenCover, conditions: FormConditions, deadline: Deadline) -> str:
    for number, box in enumerate(cover.boxes):
        if deadline.is_over:
            return f"the time was over after {number} of its {len(cover.boxes)} boxes"
        if not conditions.exclude(cover.sides(box)):
            return f"by affine forms no condition excludes the box {box}"
    return ""


@final
class FormConditions:
    """Terms that are claimed to be true together, by affine forms; they may mention results of library functions."""

    def __init__(self, terms: Sequence[Term], functions: Sequence[Approximation]) -> None:
        from soid.evidence.form_spans import FormSpans  # flint takes long to load

        self._terms, self._functions = terms, functions
        self._claimed = _claimed(terms)
        self._values = FormSpans(terms, functions)

    def exclude(self, sides: Sides) -> bool:
        """Whether one of them is false everywhere in a box; in one of one state, what the library here gives counts."""
        if self._claimed is None:
            return True
        if all(low == high for _, (low, high) in sides.values()):
            state = {term: value(term.sort, variable(term, *side)) for term, side in sides.items()}
            add_results(self._functions, state)
            return not all(evaluate_all(self._terms, state))
        return _is_denied(self._claimed, self._values.within(sides))


@final
class Conditions:
    """Terms that are claimed to be true together."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._order = postorder(terms)
        self._claimed = _claimed(terms)

    def exclude(self, sides: Sides, known: Mapping[Term, CoverSpan]) -> bool:
        """Whether one of them is false everywhere in a box."""
        if self._claimed is None:
            return True
        return _is_denied(self._claimed, spans_of(self._order, sides, known))


def _is_denied(claimed: Mapping[Term, int], spans: Mapping[Term, CoverSpan]) -> bool:
    return any(spans[term] == CoverSpan(1 - truth, 1 - truth) for term, truth in claimed.items())


def _claimed(terms: Sequence[Term]) -> dict[Term, int] | None:
    """The truth of each part of a conjunction: 1 or 0; None if a part would have both."""
    found: dict[Term, int] = {}
    waiting = [(term, 1) for term in terms]
    while waiting:
        term, truth = waiting.pop()
        if found.setdefault(term, truth) != truth:
            return None
        if term.op is ops.NOT:
            waiting.append((term.args[0], 1 - truth))
        elif term.op is (ops.AND if truth else ops.OR):
            waiting += [(part, truth) for part in term.args]
    return found


def read_cover(given: Mapping[str, Any], terms: Sequence[Term], numbers: Sequence[Approximation] = ()) -> GivenCover:
    """A cover of terms; a BundleError if it is not over their variables and numbers."""
    by_symbol = {one.symbol: one for one in numbers}
    found = set(postorder(terms))
    waiting = list(found & by_symbol.keys())
    while waiting:
        found.update(below := set(postorder(by_symbol[waiting.pop()].arguments)) - found)
        waiting += below & by_symbol.keys()
    symbols = sorted((term for term in found if term.is_var), key=lambda term: term.name)
    variables = tuple(term for term in symbols if term not in by_symbol)
    mentioned = tuple(one.symbol for one in numbers if one.symbol in found)
    cover, orders, boxes = _read(given, variables)
    if cover.forms is True:
        return GivenCover(variables, orders, boxes, (), ((),) * len(boxes), forms=True)
    listed = [] if isinstance(cover.numbers, UnsetType) else cover.numbers
    bounds = [()] * len(boxes) if isinstance(cover.bounds, UnsetType) else cover.bounds
    if sorted(listed) != sorted(term.name for term in mentioned) or len(bounds) != len(boxes):
        raise BundleError("a cover does not bound the numbers of its formula")
    if any(len(each) != len(listed) or not all(map(_is_range, each)) for each in bounds):
        raise BundleError("a cover has bounds that are none")
    places = [listed.index(term.name) for term in mentioned]
    slopes = () if isinstance(cover.slopes, UnsetType) else tuple(cover.slopes)
    if slopes and len(slopes) != len(boxes):
        raise BundleError("a cover has slopes of other boxes")
    splits = () if isinstance(cover.splits, UnsetType) else tuple(cover.splits)
    if splits and len(splits) != len(boxes):
        raise BundleError("a cover has splits of other boxes")
    check_trees((tree for trees in splits for tree in trees), listed)
    ordered = tuple(tuple(each[place] for place in places) for each in bounds)
    return GivenCover(variables, orders, boxes, mentioned, ordered, slopes, splits)


def _is_range(ends: tuple[int, int] | None) -> bool:
    """Whether an end that is a zero stands for both zeros: a sum may give either."""
    return ends is None or (ends[0] <= ends[1] and ends[0] != 0 and ends[1] != -1)


def _read(
    given: Mapping[str, Any], variables: Sequence[Term]
) -> tuple[CoverDocument, tuple[str, ...], tuple[Box, ...]]:
    """The document, the order of each variable, and the boxes with their sides in the order of the variables."""
    try:
        cover = convert(given, CoverDocument)
        listed = {each.name: place for place, each in enumerate(cover.variables)}
        places = [listed[term.name] for term in variables]
        if not len(listed) == len(cover.variables) == len(variables) or len(cover.boxes) > MOST_BOXES:
            raise ValueError
        if any(len(box) != len(variables) for box in cover.boxes):
            raise ValueError
    except (ValidationError, KeyError, ValueError):
        raise BundleError("a cover is not over the variables of its formula, or is none") from None
    orders = tuple(cover.variables[place].order for place in places)
    return cover, orders, tuple(tuple(box[place] for place in places) for box in cover.boxes)


def _whole(term: Term, order: str) -> tuple[int, int]:
    """The first and the last place of a variable."""
    if isinstance(term.sort, Bool) and order == "bool":
        return 0, 1
    if isinstance(term.sort, BitVec) and order in ("float", "signed"):
        half = 1 << (term.sort.width - 1)
        return -half, half - 1
    if isinstance(term.sort, BitVec) and order == "unsigned":
        return 0, term.sort.mask
    raise BundleError(f"a cover lines {term.name} up as what it is not")


def _covers_all(boxes: Sequence[Box], whole: Sequence[tuple[int, int]]) -> None:
    """Raise unless the boxes are disjoint, lie in the whole space, and have its volume together."""
    pairs = [pair for box in boxes for pair in zip(box, whole, strict=True)]
    inside = all(first <= low <= high <= last for (low, high), (first, last) in pairs)
    volume = sum(math.prod(high - low + 1 for low, high in box) for box in boxes)
    if not inside or volume != math.prod(last - first + 1 for first, last in whole):
        raise BundleError("a cover leaves states out")
    side = max(range(len(whole)), key=lambda number: len({box[number][0] for box in boxes}), default=0)
    ordered = sorted(boxes, key=lambda box: box[side][0])
    for place, one in enumerate(ordered):
        for later in range(place + 1, len(ordered)):
            other = ordered[later]
            if other[side][0] > one[side][1]:  # and so do all that come later
                break
            if all(low <= last and first <= high for (low, high), (first, last) in zip(one, other, strict=True)):
                raise BundleError("a cover has boxes that overlap, and so leaves states out")


def _halved(box: Box) -> list[Box]:
    sizes = [high - low for low, high in box]
    which = max(range(len(box)), key=sizes.__getitem__)
    low, high = box[which]
    if low == high:
        return []
    middle = (low + high) // 2
    return [(*box[:which], part, *box[which + 1 :]) for part in ((low, middle), (middle + 1, high))]


def _satisfied(terms: Sequence[Term], cover: GivenCover, point: Box) -> bool:
    """Whether the single state of a box satisfies all terms; intervals cannot tell for a single NaN."""
    state = {term: value(term.sort, variable(term, *side)) for term, side in cover.sides(point).items()}
    return all(evaluate_all(terms, state))
