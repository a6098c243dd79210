"""What the formulas say: from an encoding to a verdict, and to the formula that its witness must satisfy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, assert_never, final

from msgspec import Struct

from soid.engine.summary import APPROXIMATED, PathSummary, Unexplored
from soid.formula.build import FALSE
from soid.formula.checker import Impossible, Open, Possible
from soid.formula.term import Term
from soid.oracle.answer import Verdict
from soid.oracle.encoding import FAILS, NEITHER, OTHERWISE, UNDECIDED, Encoding
from soid.oracle.inquiry import Inquiry
from soid.oracle.settled_share import SettledShare
from soid.query.query import QueryKind
from soid.witness.witness import Shows, Witness


@final
class WitnessGoal(Struct, frozen=True):
    """The formula whose states settle the question, and one of them."""

    shows: Shows
    conjuncts: tuple[Term, ...]
    model: Mapping[Term, Any]


@final
class Finding(Struct, frozen=True):
    """A verdict on its way to becoming an Answer."""

    verdict: Verdict
    reason: str
    goal: WitnessGoal | None = None
    witness: Witness | None = None
    contrast: Witness | None = None  # where the log leaves two states open: the one that is otherwise
    instead: tuple[str, ...] = ()  # what may have happened instead of the behavior, where the log leaves that open
    summary: PathSummary | None = None
    settled: SettledShare | None = None  # of an unknown: for how many of the family's states it is settled
    partly: bool = False  # the goal is about a part of the family: elsewhere a scenario may be nearer to the fact
    relies_on: tuple[str, ...] = ()


_REFUTED: Final = {
    OTHERWISE: "in the scenario shown it decides otherwise",
    FAILS: "in the scenario shown the program fails, which is neither the behavior nor its opposite",
    UNDECIDED: "in the scenario shown the program does not decide, which is neither the behavior nor its opposite",
    NEITHER: "in the scenario shown what the behavior speaks of is never reached",
}


def would(within: Sequence[Term], encoding: Encoding, summary: PathSummary, asking: Inquiry) -> Finding:
    """Whether the behavior occurs in every scenario."""
    undecided: list[str] = []
    for what, where in encoding.refutes.items():
        if where is FALSE:
            continue
        answer = asking.check([*within, where])
        match answer:
            case Possible(model):
                return refuted(what, within, encoding, model, summary)
            case Impossible():
                continue
            case Open(reason):
                undecided.append(reason)
            case _:
                assert_never(answer)
    if undecided:
        return Finding(Verdict.UNKNOWN, _out_of_reach(undecided[0]), summary=summary)
    return _unless_unexplored(proved(QueryKind.WOULD, summary), within, encoding, asking)


def might(within: Sequence[Term], encoding: Encoding, summary: PathSummary, asking: Inquiry) -> Finding:
    """Whether the behavior occurs in some scenario."""
    answer = asking.check([*within, encoding.shows])
    match answer:
        case Possible(model):
            return occurring(within, encoding, model, summary)
        case Impossible():
            return _unless_unexplored(proved(QueryKind.MIGHT, summary), within, encoding, asking)
        case Open(reason):
            return Finding(Verdict.UNKNOWN, _out_of_reach(reason), summary=summary)
        case _:
            assert_never(answer)


def refuted(
    what: str, within: Sequence[Term], encoding: Encoding, model: Mapping[Term, Any], summary: PathSummary | None
) -> Finding:
    """A scenario refutes a `would`: something else happens."""
    goal = WitnessGoal(Shows.COUNTEREXAMPLE, (*within, encoding.refutes[what]), model)
    return Finding(Verdict.NO, _REFUTED[what], goal, summary=summary)


def occurring(
    within: Sequence[Term], encoding: Encoding, model: Mapping[Term, Any], summary: PathSummary | None
) -> Finding:
    """A scenario shows a `might`."""
    goal = WitnessGoal(Shows.EXAMPLE, (*within, encoding.shows), model)
    return Finding(Verdict.YES, "in the scenario shown it does", goal, summary=summary)


def proved(kind: QueryKind, summary: PathSummary | None) -> Finding:
    """No scenario does: none refutes a `would`, none shows a `might`."""
    if kind is QueryKind.MIGHT:
        return Finding(Verdict.NO, "in no scenario does it: proved over all of them", summary=summary)
    return Finding(Verdict.YES, "in every scenario it does: proved over all of them", summary=summary)


def _unless_unexplored(finding: Finding, within: Sequence[Term], encoding: Encoding, asking: Inquiry) -> Finding:
    """A proof over all explored paths is one over the family only if no scenario was left unexplored."""
    answer = Impossible() if encoding.unexplored is FALSE else asking.check([*within, encoding.unexplored])
    match answer:
        case Impossible():
            return finding
        case Possible():
            assert finding.summary is not None
            kinds = dict.fromkeys(str(p.ending) for p in finding.summary.paths if isinstance(p.ending, Unexplored))
            return Finding(Verdict.UNKNOWN, f"some scenarios were left {'; '.join(kinds)}", summary=finding.summary)
        case Open(reason):
            return Finding(Verdict.UNKNOWN, _out_of_reach(reason), summary=finding.summary)
        case _:
            assert_never(answer)


def _out_of_reach(reason: str) -> str:
    return reason if reason.startswith(APPROXIMATED) else f"the solvers did not settle it: {reason}"
