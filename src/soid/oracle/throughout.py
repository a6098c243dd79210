"""The strongest honest answer: whether what one scenario shows is so in all of them.

A `would` is refuted, and a `might` shown, by one scenario. Often much more is true: the program does it in no scenario
at all, or in every one. That is the answer to the sibling question of the same family, which is put to the paths that
are explored already, in a small part of the time. What stays open says nothing.

    would brake: no     might brake: no      it brakes in no scenario
    might brake: yes    would brake: yes     it brakes in every scenario

The sibling of `would brake` is `might brake` and never `would not brake`: on a path that fails, neither is true.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

from soid.engine.summary import PathSummary
from soid.formula.term import Term
from soid.oracle.answer import BY_RUNS, Verdict
from soid.oracle.encoding import Encoding
from soid.oracle.finding import Finding, might, would
from soid.oracle.inquiry import Inquiry
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.query.query import QueryKind
from soid.witness.witness import Shows

#: the reasons of such a proof, by the verdict that the scenario shows
ALIKE: Final = {
    Verdict.YES: (ReasonCode.ALWAYS, ReasonCode.ALWAYS_BY_RUNS),
    Verdict.NO: (ReasonCode.NEVER, ReasonCode.NEVER_BY_RUNS),
}

#: the part of the time left that the sibling may have, and no longer than the question took so far
SHARE: Final = 0.02
LEAST: Final = 0.5  # seconds, for a question that was answered from paths that were known


def throughout(
    finding: Finding, kind: QueryKind, within: Sequence[Term], encoding: Encoding, summary: PathSummary, asking: Inquiry
) -> VerdictReason | None:
    """The reason of the sibling's verdict, if it is proved that what the finding's scenario shows is so in all.

    Runs of single scenarios say themselves whether they were all (`run_members`).
    """
    shown = finding.goal is not None and finding.goal.shows is not Shows.MEMBER
    if finding.throughout is not None or not shown or finding.partly or BY_RUNS in asking.settled_by:
        return finding.throughout
    with asking.within(SHARE, max(LEAST, sum(asking.seconds.values()))):
        match kind:
            case QueryKind.WOULD:
                sibling = might(within, encoding, summary, asking)
            case QueryKind.MIGHT:
                sibling = would(within, encoding, summary, asking)
            case QueryKind.DID:
                return None
            case _ as unreachable:
                assert_never(unreachable)
    proved = sibling.verdict.is_definite and sibling.goal is None
    return sibling.why if proved else None
