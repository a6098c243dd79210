"""Paving an open question: settle it box by box, and measure the settled share when time is over.

A `would` is settled on a box if no state of the box refutes it and none is unexplored; a `might` is settled if no state
shows it and none is unexplored. The question is settled once all boxes are; one state that refutes or shows it settles
it too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from soid.budget import Budget, Deadline, usable_cores
from soid.engine.summary import PathSummary
from soid.formula import build
from soid.formula.checker import Possibility
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
from soid.oracle.settled_share import TOLD, BoxSide, OpenBox, SettledShare, coarse
from soid.program.domain import Default
from soid.program.types import FloatType, show
from soid.query.query import QueryKind
from soid.query.words import Words
from soid.query.words.shares import rounded_down
from soid.scenario.family import Family
from soid.solver.box_cutter import BY_EXPLORING, BY_SOLVER, BoxCutter, CutBox, ExclusionGoal
from soid.solver.box_cutter_worker import GLANCE
from soid.solver.crew import Crew
from soid.solver.paving import Paving, begin
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
) -> Finding:
    """The finding with the settled share, or a definite finding; `look` explores within a box."""
    if finding.verdict is not Verdict.UNKNOWN or not asking.mechanisms.paving or asking.context.cancel.cancelled:
        return finding
    shows = encoding.shows if kind is QueryKind.MIGHT else build.any_of(encoding.refutes.values())
    goal, symbols = ExclusionGoal(shows, encoding.unexplored), [variable.symbol for variable in family.varying]
    # only if time was short: otherwise exploration would meet the same obstacle again
    explores = asking.direct.is_over and encoding.unexplored is not build.FALSE
    conditions = flatten_and(within)  # a conjunct about one variable alone is counted exactly
    functions = asking.functions
    cutter = BoxCutter.of(conditions, goal, symbols, BY_EXPLORING if explores else BY_SOLVER, functions)
    if cutter is None:
        return finding
    # boxes know library functions better than solvers do
    is_worthwhile = asking.direct.is_over or (asking.functions and encoding.unexplored is build.FALSE)
    deadline = asking.deadline if is_worthwhile else Budget(BRIEFLY).started().sooner(asking.deadline)
    again = BoxExploration(look, kind, within[0], within[1], asking, deadline)
    if explores:
        paving = _explored(cutter, len(symbols), again, asking)
    else:
        paving = _covered(cutter, conditions, goal, symbols, deadline, asking)
    assert finding.summary is not None
    definite = _definite(paving, again, finding.summary, kind, within, encoding)
    if definite is not None:
        asking.settled_by["paving"] += 1
        return definite
    settled = _settled(paving, kind, cutter, family)
    if not settled.share:
        return finding
    relies_on = (*finding.relies_on, *(each for each in again.relies_on if each not in finding.summary.relies_on))
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
    model = paving.model
    if model is not None and kind is QueryKind.MIGHT:
        return findings.occurring(within, encoding, model, summary)
    if model is not None:
        what = next(what for what, where in encoding.refutes.items() if evaluate(where, model))
        return findings.refuted(what, within, encoding, model, summary)
    if again.found is not None:
        return replace(again.found, summary=again.completed(summary, everything=False), partly=True)
    return findings.proved(kind, again.completed(summary, everything=True)) if paving.excluded else None


def _explored(cutter: BoxCutter, variables: int, again: BoxExploration, asking: Inquiry) -> Paving:
    """Pave the family by exploring the program again in one box after the other."""

    def check(conjuncts: Sequence[Term], /) -> Possibility:
        return again.settle(conjuncts[1 : variables + 1])

    def is_over() -> bool:
        return again.deadline.is_over or asking.context.cancel.cancelled or again.found is not None

    paving = begin(cutter)
    cover(paving, cutter, check, is_over, _reports(asking))
    return paving


def _covered(
    cutter: BoxCutter,
    family: Sequence[Term],
    goal: ExclusionGoal,
    symbols: Sequence[Term],
    deadline: Deadline,
    asking: Inquiry,
) -> Paving:
    """Pave the family as far as time allows: first in this process, then in one process for each core."""
    alone, report = Budget(ALONE).started(), _reports(asking)

    def check(conjuncts: Sequence[Term], /) -> Possibility:
        return asking.check_until(Budget(GLANCE).started().sooner(deadline))(conjuncts)

    def is_over() -> bool:
        return deadline.is_over or asking.context.cancel.cancelled

    paving = begin(cutter)
    if cutter.is_in_bulk:
        if not paving.is_over:
            paving.enter(cutter.cut_in_bulk(paving.take(), deadline, asking.context.cancel, _tell(asking)))
        return paving
    cores = asking.context.settings.cores or usable_cores()
    if cores > 1 and cutter.is_closed and not asking.functions:  # a process cannot be given a function
        cover(paving, cutter, check, lambda: alone.is_over or is_over(), report)
        if not paving.is_over and not is_over():
            Crew(family, goal, symbols, cores).pave(paving, is_over, report)
    cover(paving, cutter, check, is_over, report)
    return paving


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
    measured = measure_of(scales), tuple(names), endless
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
