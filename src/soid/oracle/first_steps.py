"""The first steps of an open question over many, one after the other: how many of them are settled?

    would not collision throughout 40 steps     no scenario has one after 1 step, none after 2, ... none after 17:
                                                it is proved for the first 17 steps

What holds after each of the steps holds throughout them, and each is a smaller question than all at once. The paths are
those that were explored. A step is settled only if no scenario is left unexplored before its end, and a scenario that
settles it otherwise settles the whole question.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from soid.engine.summary import Path, PathSummary, goes_on, is_open
from soid.oracle.encoding import Encoding, FactualMoment, encode
from soid.oracle.finding import Finding, might, proved, would
from soid.oracle.inquiry import Inquiry
from soid.oracle.member_runs import run_members
from soid.oracle.settled_steps import SettledSteps
from soid.query.query import Query, QueryKind
from soid.query.steps import Over, Steps
from soid.scenario.family import Family

#: the share of the time that is left for it
_SHARE: Final = 0.5

#: questions whose answer for the first steps is a part of their answer
_STEPWISE: Final = {(QueryKind.WOULD, Over.THROUGHOUT), (QueryKind.MIGHT, Over.WITHIN)}


def settle_first_steps(
    finding: Finding,
    query: Query,
    family: Family,
    facts: FactualMoment,
    explored: tuple[PathSummary, Encoding],
    asking: Inquiry,
    known: int = 0,
) -> Finding:
    """The finding with how many of its first steps are settled, or a definite finding; some were settled before."""
    kind, period = query.kind, query.period
    if (kind, period.over) not in _STEPWISE or not asking.mechanisms.paving:
        return finding
    summary, within = explored[0], family.scenarios
    whole, settle = proved(kind, summary), would if kind is QueryKind.WOULD else might
    with asking.within(_SHARE):
        for count in range(known + 1, period.count + 1):
            if asking.deadline.is_over or asking.context.cancel.cancelled:
                return _settled_before(count, finding, whole, period)
            begun = replace(summary, paths=tuple(path for path in summary.paths if _matters_in(path, count)))
            after = encode(begun, query.behavior, facts, Steps(Over.AFTER, count, period.future))
            found = settle(within, after, begun, asking)
            if found.goal is not None:
                return _run(found, query, family, facts, explored, asking)
            if found.verdict is not whole.verdict:
                return _settled_before(count, finding, whole, period)
    return whole


def _run(
    found: Finding,
    query: Query,
    family: Family,
    facts: FactualMoment,
    explored: tuple[PathSummary, Encoding],
    asking: Inquiry,
) -> Finding:
    """A finding whose scenario was run in all steps, since its path may be explored in the first ones only.

    Another step may have a nearer scenario.
    """
    assert found.goal is not None
    ran = run_members(query, family, facts, found.goal.model, explored, asking) if asking.mechanisms.runs else None
    return ran or replace(found, summary=explored[0], partly=True)


def _matters_in(path: Path, count: int) -> bool:
    """Whether a path reaches a step, or may: one that has ended before was judged in the step in which it did."""
    return is_open(path.ending) or goes_on(path.ending) or len(path.earlier) + 1 >= count


def _settled_before(count: int, finding: Finding, whole: Finding, period: Steps) -> Finding:
    if count == 1:
        return finding
    return replace(finding, settled_steps=SettledSteps(whole.verdict.value, count - 1, period.count))
