"""From an encoding to a verdict, and to the formula that its witness must satisfy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, assert_never, final

from msgspec import Struct
from msgspec.structs import replace

from soid.assumptions import Assumption
from soid.engine.summary import PathSummary
from soid.formula import build
from soid.formula.build import FALSE
from soid.formula.checker import Impossible, Open, Possible
from soid.formula.term import Term
from soid.oracle.answer import Verdict
from soid.oracle.encoding import FAILS, NEITHER, NO_VALUE, OTHERWISE, UNDECIDED, Encoding
from soid.oracle.inquiry import Inquiry
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.oracle.settled_share import SettledShare
from soid.oracle.settled_steps import SettledSteps
from soid.oracle.unfinished import OpenBoxes
from soid.query.query import QueryKind
from soid.witness.witness import Shows, Witness

#: the reason of a finding before the family was explored
NO_TIME: Final = VerdictReason(ReasonCode.UNEXPLORED, ("unexplored: the time budget ended",), out_of_time=True)


@final
class WitnessGoal(Struct, frozen=True):
    """The formula whose states settle the question, and a model of it."""

    shows: Shows
    conjuncts: tuple[Term, ...]  # the family, and at the end where on the paths the scenario may lie
    model: Mapping[Term, Any]
    doubt: Term = FALSE  # where it may lie too, for all that is known: unexplored states

    @property
    def widened(self) -> tuple[Term, ...]:
        """The formula of all states that may settle the question in the same way."""
        *within, where = self.conjuncts
        return (*within, build.or_(where, self.doubt))


@final
class Finding(Struct, frozen=True):
    """A verdict and what supports it, before it is assembled into an Answer."""

    verdict: Verdict
    why: VerdictReason
    goal: WitnessGoal | None = None
    witness: Witness | None = None
    contrast: Witness | None = None  # a second state with the other outcome, where both are possible
    instead: tuple[str, ...] = ()  # what may have happened instead of the behavior, where a rounded log allows it
    summary: PathSummary | None = None
    settled: SettledShare | None = None  # for an unknown: the share of the family that is settled
    settled_steps: SettledSteps | None = None  # for an unknown over several steps: the first ones that are settled
    throughout: VerdictReason | None = None  # why what its scenario shows is so in all of them, if that is proved
    partly: bool = False  # the goal covers a part of the family only: elsewhere a scenario may be nearer to the fact
    everywhere: tuple[Mapping[str, int], ...] = ()  # scenarios that settle it together for every unknown value
    relies_on: tuple[Assumption, ...] = ()
    open_at: Mapping[Term, Any] | None = None  # for an unknown: a scenario of which it is not known what happens there
    open_boxes: OpenBoxes | None = None  # for an unknown: all else of the family is settled
    can_resume: bool = False  # for an unknown: more time may settle it, and what is settled is kept
    before: float | None = None  # seconds that went into it before it was resumed; None: it was not
    explored: PathSummary | None = None  # for an unknown: all that was explored, for the time when it is resumed


_REFUTED: Final = {
    OTHERWISE: ReasonCode.DECIDES_OTHERWISE,
    FAILS: ReasonCode.FAILS,
    UNDECIDED: ReasonCode.DOES_NOT_DECIDE,
    NEITHER: ReasonCode.NEVER_REACHED,
    NO_VALUE: ReasonCode.NO_VALUE,
}


def would(within: Sequence[Term], encoding: Encoding, summary: PathSummary | None, asking: Inquiry) -> Finding:
    """Whether the behavior occurs in every scenario."""
    undecided: list[Open] = []
    for what, where in encoding.refutes.items():
        if where is FALSE:
            continue
        answer = asking.check([*within, where])
        match answer:
            case Possible(model):
                return refuted(what, within, encoding, model, summary)
            case Impossible():
                continue
            case Open():
                undecided.append(answer)
            case _:
                assert_never(answer)
    if undecided:
        return _left_open(undecided[0], summary, within, encoding.open_refutes, encoding, asking)
    return _unless_unexplored(proved(QueryKind.WOULD, summary), within, encoding.open_refutes, encoding, asking)


def might(within: Sequence[Term], encoding: Encoding, summary: PathSummary | None, asking: Inquiry) -> Finding:
    """Whether the behavior occurs in some scenario."""
    answer = asking.check([*within, encoding.shows])
    match answer:
        case Possible(model):
            return occurring(within, encoding, model, summary)
        case Impossible():
            return _unless_unexplored(proved(QueryKind.MIGHT, summary), within, encoding.open_shows, encoding, asking)
        case Open():
            return _left_open(answer, summary, within, encoding.open_shows, encoding, asking)
        case _:
            assert_never(answer)


def refuted(
    what: str, within: Sequence[Term], encoding: Encoding, model: Mapping[Term, Any], summary: PathSummary | None
) -> Finding:
    """A scenario refutes a `would`: something else happens."""
    goal = WitnessGoal(Shows.COUNTEREXAMPLE, (*within, encoding.refutes[what]), model, encoding.unexplored)
    return Finding(Verdict.NO, VerdictReason(_REFUTED[what]), goal, summary=summary)


def occurring(
    within: Sequence[Term], encoding: Encoding, model: Mapping[Term, Any], summary: PathSummary | None
) -> Finding:
    """A scenario shows a `might`."""
    goal = WitnessGoal(Shows.EXAMPLE, (*within, encoding.shows), model, encoding.unexplored)
    return Finding(Verdict.YES, VerdictReason(ReasonCode.DOES), goal, summary=summary)


def proved(kind: QueryKind, summary: PathSummary | None) -> Finding:
    """No scenario refutes a `would`, or none shows a `might`."""
    if kind is QueryKind.MIGHT:
        return Finding(Verdict.NO, VerdictReason(ReasonCode.NEVER), summary=summary)
    return Finding(Verdict.YES, VerdictReason(ReasonCode.ALWAYS), summary=summary)


def proved_by_runs(kind: QueryKind, summary: PathSummary) -> Finding:
    """The same, shown by a run of every scenario."""
    finding = proved(kind, summary)
    code = ReasonCode.ALWAYS_BY_RUNS if finding.verdict is Verdict.YES else ReasonCode.NEVER_BY_RUNS
    return replace(finding, why=VerdictReason(code, (f"{len(summary.paths):,}",)))


def _unless_unexplored(
    finding: Finding, within: Sequence[Term], unexplored: Term, encoding: Encoding, asking: Inquiry
) -> Finding:
    """The finding, or unknown: a proof over the explored paths covers the family only if no scenario is unexplored."""
    answer = Impossible() if unexplored is FALSE else asking.check([*within, unexplored])
    match answer:
        case Impossible():
            return finding
        case Possible(model):
            kinds = "; ".join(dict.fromkeys(map(str, encoding.left_open)))
            late = any(why.out_of_time for why in encoding.left_open)
            why = VerdictReason(ReasonCode.UNEXPLORED, (kinds,), late)
            return Finding(Verdict.UNKNOWN, why, summary=finding.summary, open_at=model)
        case Open():
            return _unsettled(answer, finding.summary)
        case _:
            assert_never(answer)


def _left_open(
    answer: Open,
    summary: PathSummary | None,
    within: Sequence[Term],
    unexplored: Term,
    encoding: Encoding,
    asking: Inquiry,
) -> Finding:
    """Unknown: a scenario is unexplored, which says more than that a check did not decide; else for the latter."""
    if answer.approximated and not answer.out_of_time:
        finding = _unless_unexplored(_unsettled(answer, summary), within, unexplored, encoding, asking)
        if finding.why.code is ReasonCode.UNEXPLORED:
            return finding
    return _unsettled(answer, summary)


def _unsettled(answer: Open, summary: PathSummary | None) -> Finding:
    code = ReasonCode.APPROXIMATED if answer.approximated else ReasonCode.SOLVERS_OPEN
    return Finding(Verdict.UNKNOWN, VerdictReason(code, (answer.reason,), answer.out_of_time), summary=summary)
