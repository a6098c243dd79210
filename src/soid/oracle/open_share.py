"""Paving an open question: settle it box by box, and measure the settled share when time is over.

A `would` is settled on a box if no state of the box refutes it and none is unexplored; a `might` is settled if no state
shows it and none is unexplored. The question is settled once all boxes are; one state that refutes or shows it settles
it too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from soid.budget import Budget, Deadline, usable_cores
from soid.engine.summary import PathSummary, goes_on, is_open
from soid.formula import build
from soid.formula.checker import Impossible, Possibility, Possible
from soid.formula.measure import Scale, measure_of
from soid.formula.passes import evaluate, flatten_and
from soid.formula.sorts import Float
from soid.formula.term import Term
from soid.formula.value_order import ValueOrder
from soid.oracle import finding as findings
from soid.oracle.answer import Verdict
from soid.oracle.box_exploration import BoxExploration, Look
from soid.oracle.encoding import Encoding
from soid.oracle.finding import Finding
from soid.oracle.inquiry import Inquiry, QuestionProgress
from soid.oracle.narrower_families import open_part, settled_part
from soid.oracle.settled_picture import drawn
from soid.oracle.settled_share import TOLD, BoxSide, OpenBox, SettledShare, coarse
from soid.oracle.unfinished import OpenBoxes, ordered
from soid.program.domain import Default
from soid.program.types import FloatType, show
from soid.query.query import QueryKind
from soid.query.words import Words
from soid.query.words.shares import rounded_down
from soid.scenario.family import Family
from soid.solver.box_cutter import BY_EXPLORING, BY_SOLVER, BoxCutter, CutBox, ExclusionGoal
from soid.solver.box_cutter_worker import GLANCE
from soid.solver.crew import Crew
from soid.solver.paving import Paving, begin, reopened
from soid.solver.paving import pave as cover

#: seconds for measuring the share if the question is open for another reason than time
BRIEFLY: Final = 2.0

#: seconds of paving in this process before worker processes are started
ALONE: Final = 0.5

#: seconds between two reports
_OFTEN: Final = 0.1


def pave(
    finding: Finding,
    kind: QueryKind,
    family: Family,
    within: Sequence[Term],
    encoding: Encoding,
    look: Look,
    asking: Inquiry,
    former: OpenBoxes | None = None,
) -> Finding:
    """The finding with the settled share, or a definite finding; `look` explores within a box.

    With `former` boxes, all else of the family was settled before.
    """
    if finding.verdict is not Verdict.UNKNOWN or not asking.mechanisms.paving or asking.context.cancel.cancelled:
        return finding
    shows = encoding.shows if kind is QueryKind.MIGHT else build.any_of(encoding.refutes.values())
    goal, symbols = ExclusionGoal(shows, encoding.unexplored), [variable.symbol for variable in family.varying]
    assert finding.summary is not None
    # only if time was short: otherwise exploration would meet the same obstacle again, as where a path is explored and
    # it is not known what it gives
    has_open_paths = any(is_open(path.ending) or goes_on(path.ending) for path in finding.summary.paths)
    explores = asking.direct.is_over and has_open_paths and encoding.unexplored is not build.FALSE
    conditions = flatten_and(within)  # a conjunct about one variable alone is counted exactly
    functions = asking.functions
    cutter = BoxCutter.of(conditions, goal, symbols, BY_EXPLORING if explores else BY_SOLVER, functions)
    if cutter is None:
        return finding
    # boxes know library functions better than solvers do
    is_worthwhile = asking.direct.is_over or former or (asking.functions and encoding.unexplored is build.FALSE)
    deadline = asking.deadline if is_worthwhile else Budget(BRIEFLY).started().sooner(asking.deadline)
    again = BoxExploration(look, kind, within[0], within[1], asking, deadline)
    paving = _begun(cutter, former, is_explored=explores)
    if explores:
        _explore(paving, cutter, len(symbols), again, asking)
    else:
        _cover(paving, cutter, conditions, goal, symbols, deadline, asking)
    definite = _definite(paving, again, finding.summary, kind, within, encoding)
    if definite is None and former is not None:
        definite = _rest(
            paving, cutter, goal, again.completed(finding.summary, everything=True), kind, within, encoding, asking
        )
    if definite is not None:
        asking.settled_by["paving"] += 1
        return definite
    summary = finding.summary
    finding = replace(finding, open_boxes=_open_boxes(paving, cutter), explored=again.explored(summary))
    settled = _settled(paving, kind, cutter, family)
    if not settled.share:
        return finding
    relies_on = (*finding.relies_on, *(each for each in again.relies_on if each not in summary.relies_on))
    return replace(finding, settled=settled, relies_on=relies_on)


def _definite(
    paving: Paving,
    again: BoxExploration,
    summary: PathSummary,
    kind: QueryKind,
    within: Sequence[Term],
    encoding: Encoding,
) -> Finding | None:
    """The finding if the paving has settled the question."""
    if paving.model is not None:
        return _shown(paving.model, summary, kind, within, encoding)
    if again.found is not None:
        return replace(again.found, summary=again.completed(summary, everything=False), partly=True)
    return findings.proved(kind, again.completed(summary, everything=True)) if paving.excluded else None


def _shown(
    model: Mapping[Term, bool | int], summary: PathSummary, kind: QueryKind, within: Sequence[Term], encoding: Encoding
) -> Finding:
    """The finding of a state that shows the goal."""
    if kind is QueryKind.MIGHT:
        return findings.occurring(within, encoding, model, summary)
    what = next(what for what, where in encoding.refutes.items() if evaluate(where, model))
    return findings.refuted(what, within, encoding, model, summary)


def _begun(cutter: BoxCutter, former: OpenBoxes | None, *, is_explored: bool) -> Paving:
    """The paving with what was settled before. Exploring settles boxes on which solvers are stuck."""
    if former is not None and former.variables == _ordered(cutter):
        boxes = ((box, stuck and not is_explored) for box, stuck in zip(former.boxes, former.stuck, strict=True))
        paving = reopened(cutter, list(boxes))
        if paving is not None:
            return paving
    return begin(cutter)


def _open_boxes(paving: Paving, cutter: BoxCutter) -> OpenBoxes:
    opened = paving.open
    boxes, stuck = tuple(piece.box for piece in opened), tuple(piece.stuck for piece in opened)
    return OpenBoxes(_ordered(cutter), boxes, stuck)


def _ordered(cutter: BoxCutter) -> tuple[str, ...]:
    return tuple(ordered(variable.term, variable.order) for variable in cutter.variables)


def _rest(
    paving: Paving,
    cutter: BoxCutter,
    goal: ExclusionGoal,
    summary: PathSummary,
    kind: QueryKind,
    within: Sequence[Term],
    encoding: Encoding,
    asking: Inquiry,
) -> Finding | None:
    """The finding if a solver settles what is open as a whole, which may be little of the family by now."""
    if asking.deadline.is_over or asking.context.cancel.cancelled:
        return None
    there = build.any_of(build.all_of(bounds) for bounds in cutter.around([piece.box for piece in paving.open]))
    answer = asking.check_until(asking.deadline)([build.or_(goal.shows, goal.doubt), there, *within])
    if isinstance(answer, Impossible):
        return findings.proved(kind, summary)
    if isinstance(answer, Possible) and cutter.shows_goal(answer.model):
        return _shown(answer.model, summary, kind, within, encoding)
    return None


def _explore(paving: Paving, cutter: BoxCutter, variables: int, again: BoxExploration, asking: Inquiry) -> None:
    """Pave the family by exploring the program again in one box after the other."""

    def check(conjuncts: Sequence[Term], /) -> Possibility:
        return again.settle(conjuncts[1 : variables + 1])

    def is_over() -> bool:
        return again.deadline.is_over or asking.context.cancel.cancelled or again.found is not None

    cover(paving, cutter, check, is_over, _reports(asking))


def _cover(
    paving: Paving,
    cutter: BoxCutter,
    family: Sequence[Term],
    goal: ExclusionGoal,
    symbols: Sequence[Term],
    deadline: Deadline,
    asking: Inquiry,
) -> None:
    """Pave the family as far as time allows: first in this process, then in one process for each core."""
    alone, report = Budget(ALONE).started(), _reports(asking)

    def check(conjuncts: Sequence[Term], /) -> Possibility:
        return asking.check_until(Budget(GLANCE).started().sooner(deadline))(conjuncts)

    def is_over() -> bool:
        return deadline.is_over or asking.context.cancel.cancelled

    if cutter.is_in_bulk:
        if not paving.is_over:
            paving.enter(cutter.cut_in_bulk(paving.take_all(), deadline, asking.context.cancel, _tell(asking)))
        return
    cores = asking.context.settings.cores or usable_cores()
    if cores > 1 and cutter.is_closed and not asking.functions:  # a process cannot be given a function
        cover(paving, cutter, check, lambda: alone.is_over or is_over(), report)
        if not paving.is_over and not is_over():
            Crew(family, goal, symbols, cores).pave(paving, is_over, report)
    cover(paving, cutter, check, is_over, report)


def _tell(asking: Inquiry) -> Callable[[float], None]:
    return lambda share: asking.context.progress(QuestionProgress("pave", share=share))


def _reports(asking: Inquiry) -> Callable[[Paving], None]:
    last, tell = 0.0, _tell(asking)

    def report(paving: Paving) -> None:
        nonlocal last
        if time.monotonic() - last >= _OFTEN:
            last = time.monotonic()
            tell(rounded_down(paving.share))

    return report


def _settled(paving: Paving, kind: QueryKind, cutter: BoxCutter, family: Family) -> SettledShare:
    verdict, called = Verdict.YES if kind is QueryKind.WOULD else Verdict.NO, Words(family.interface).called
    opened, whole = paving.open, cutter.whole()
    boxes = tuple(_box(piece, cutter, family) for piece in opened[:TOLD])
    states = cutter.states(whole.box).most if whole is not None else 0
    scales = [ruler.scale for ruler in cutter.rulers]
    names = [called(variable.path) for variable in family.varying]
    endless = tuple(name for name, scale in zip(names, scales, strict=True) if scale is Scale.MAGNITUDE)
    picture = drawn(paving, cutter, family.varying, names)
    parts = settled_part(paving, cutter, family.varying), open_part(paving, cutter, family.varying)
    measured = measure_of(scales), tuple(names), endless, picture, *parts
    return SettledShare(verdict.value, coarse(paving.share), paving.is_exact, states, len(opened), boxes, *measured)


def _box(piece: CutBox, cutter: BoxCutter, family: Family) -> OpenBox:
    sides, called = [], Words(family.interface).called
    for places, variable, box in zip(cutter.variables, family.varying, piece.box, strict=False):
        kind = variable.type
        finite = isinstance(family.freed[variable.path], Default)
        low, high = _finite(places.order, kind.format, box) if finite and isinstance(kind, FloatType) else box
        first, last = (show(variable.type, int(places.order.value_at(place))) for place in (low, high))
        sides.append(BoxSide(variable.path, first, last, variable.unit, called(variable.path)))
    return OpenBox(tuple(sides), cutter.states(piece.box).most)


def _finite(order: ValueOrder, format: Float, box: tuple[int, int]) -> tuple[int, int]:
    """The places of a box without those of infinities, which a family over every finite number does not have."""
    least, most = order.place_of(format.max_finite | format.sign_bit), order.place_of(format.max_finite)
    low, high = max(box[0], least), min(box[1], most)
    return (low, high) if low <= high else box
