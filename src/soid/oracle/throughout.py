"""The strongest honest answer: whether what one scenario shows is so in all of them.

A `would` is refuted, and a `might` shown, by one scenario. Often much more is true: the program does it in no scenario
at all, or in every one. That is the answer to the sibling question of the same family, which is put to the paths that
are explored already, in a small part of the time. What stays open says nothing.

    would brake: no     might brake: no      it brakes in no scenario
    might brake: yes    would brake: yes     it brakes in every scenario

The sibling of `would brake` is `might brake` and never `would not brake`: on a path that fails, neither is true.

Mostly it is not so in all: next to the fact the program does what it did in fact. One look there saves the search.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Final, assert_never

from soid.engine.summary import PathSummary, add_results
from soid.formula import build
from soid.formula.passes import evaluate_all, mentions_only
from soid.formula.term import Term
from soid.oracle.answer import BY_RUNS, Verdict
from soid.oracle.encoding import Encoding
from soid.oracle.finding import Finding, might, would
from soid.oracle.inquiry import Inquiry
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.query.query import QueryKind
from soid.scenario.family import Family
from soid.witness.witness import Shows

#: the reasons of such a proof, by the verdict that the scenario shows
ALIKE: Final = {
    Verdict.YES: (ReasonCode.ALWAYS, ReasonCode.ALWAYS_BY_RUNS),
    Verdict.NO: (ReasonCode.NEVER, ReasonCode.NEVER_BY_RUNS),
}

#: the part of the time left that the sibling may have, and no longer than the question took so far
SHARE: Final = 0.02
LEAST: Final = 0.5  # seconds, for a question that was answered from paths that were known


#: scenarios next to the fact that are looked at: of some features neither neighbour is in the family
_BESIDE: Final = 4


def throughout(
    finding: Finding, kind: QueryKind, family: Family, encoding: Encoding, summary: PathSummary, asking: Inquiry
) -> VerdictReason | None:
    """The reason of the sibling's verdict, if it is proved that what the finding's scenario shows is so in all.

    Runs of single scenarios say themselves whether they were all (`run_members`).
    """
    shown = finding.goal is not None and finding.goal.shows is not Shows.MEMBER
    if finding.throughout is not None or not shown or finding.partly or BY_RUNS in asking.settled_by:
        return finding.throughout
    within = family.scenarios
    with asking.within(SHARE, max(LEAST, sum(asking.seconds.values()))):
        match kind:
            case QueryKind.WOULD:
                if _holds_beside(family, (*within, encoding.shows), summary):
                    return None
                sibling = might(within, encoding, summary, asking)
            case QueryKind.MIGHT:
                if _holds_beside(family, (*within, build.any_of(encoding.refutes.values())), summary):
                    return None
                sibling = would(within, encoding, summary, asking)
            case QueryKind.DID:
                return None
            case _ as unreachable:
                assert_never(unreachable)
    proved = sibling.verdict.is_definite and sibling.goal is None
    return sibling.why if proved else None


def _holds_beside(family: Family, conditions: Sequence[Term], summary: PathSummary) -> bool:
    """Whether conditions hold in a scenario that differs from the fact in one input alone, and as little as can be."""
    symbols = {variable.symbol for variable in family.varying} | {one.symbol for one in summary.approximations}
    if not mentions_only(conditions, symbols):
        return False
    for state in itertools.islice(_neighbours(family), _BESIDE):
        add_results(summary.approximations, state)
        if all(evaluate_all(conditions, state)):
            return True
    return False


def _neighbours(family: Family) -> Iterator[dict[Term, Any]]:
    """The states next to the fact, one input after the other."""
    fact = {variable.symbol: family.fact[variable.path] for variable in family.varying}
    for variable in family.varying:
        order, place = variable.order, variable.order.place_of(family.fact[variable.path])
        first, last = order.places
        for beside in (place + 1, place - 1):
            if first <= beside <= last:
                yield {**fact, variable.symbol: order.value_at(beside)}
