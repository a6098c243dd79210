"""A question that was left open, resumed: what is settled stays so, and only the rest is worked on.

explored paths     kept; the program is explored again only where paths were left when the time was over
open boxes         the paving goes on with them, and then a solver is asked about what is left as a whole
first steps        go on with the first that is not settled
single scenarios   those that were run are not run again
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, final

from msgspec.structs import replace

from soid.budget import Budget
from soid.engine.summary import Path, PathSummary, Unexplored
from soid.formula import build
from soid.formula.term import Term
from soid.oracle.answer import Verdict
from soid.oracle.encoding import Encoding, FactualMoment, encode
from soid.oracle.finding import Finding
from soid.oracle.inquiry import Inquiry
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.oracle.unfinished import Unfinished, ordered
from soid.query.query import Query
from soid.scenario.family import Family
from soid.solver.box_conditions import hull

_FEW: Final = 32  # boxes whose bounds are a condition; of more it is what lies around all
_MANY: Final = 2_000  # paths that were left: with more the program is explored box by box
_OPEN: Final = VerdictReason(ReasonCode.SOLVERS_OPEN, ("the time was over",), out_of_time=True)
_LEFT: Final = VerdictReason(ReasonCode.UNEXPLORED, ("unexplored: the time budget ended",), out_of_time=True)

#: explores a precondition: its paths, and where on them the behavior occurs
Look = Callable[[Term, Inquiry], tuple[PathSummary, Encoding]]
Settle = Callable[[PathSummary, Encoding], Finding]


@final
@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question while it is open, and what is kept of it."""

    query: Query
    family: Family
    facts: FactualMoment
    asking: Inquiry

    @property
    def former(self) -> Unfinished | None:
        """What it had come to; None if it is not resumed, or nothing is kept."""
        kept, key = self.asking.context.unfinished, self._key if self.asking.context.resume else None
        return kept.find(key, self.family) if kept is not None and key is not None else None

    @property
    def _key(self) -> str | None:
        kept, settings = self.asking.context.unfinished, self.asking.context.settings
        if kept is None or not self.asking.mechanisms.paving:
            return None
        limits = settings.window, settings.paths, settings.replay == "off"
        return kept.key(self.query, self.family, self.facts, limits)

    def kept(self, finding: Finding, former: Unfinished | None) -> Finding:
        """The finding with whether it can be resumed; what an unknown has come to is kept, and else nothing."""
        kept, asking = self.asking.context.unfinished, self.asking
        finding = replace(finding, before=former.seconds if former is not None else None)
        if kept is None or (finding.verdict.is_definite and former is None):
            return finding
        key = self._key
        if key is None:
            return finding
        if finding.verdict.is_definite:
            kept.forget(key)
            return finding
        seconds = sum(asking.seconds.values()) + (former.seconds if former is not None else 0.0)
        steps = finding.settled_steps.steps if finding.settled_steps is not None else 0
        explored, opened, tried = finding.explored or finding.summary, finding.open_boxes, frozenset(asking.tried)
        if former is not None:
            opened, steps = opened or former.open, max(steps, former.steps)
        rested = former.relies_on if former is not None else ()
        relies_on = tuple(dict.fromkeys((*rested, *(explored.relies_on if explored is not None else ()))))
        work = Unfinished(seconds, explored, _is_solved(finding), opened, steps, tried, relies_on)
        late = asking.context.cancel.cancelled or (explored is not None and any(map(_is_late, explored.paths)))
        can = finding.why.out_of_time or late or (opened is not None and not all(opened.stuck))
        return replace(finding, can_resume=can and kept.keep(key, work, self.family))


def _is_solved(finding: Finding) -> bool:
    """Whether it is known that no explored path settles the question: only the others leave it open."""
    return finding.why.code is ReasonCode.UNEXPLORED and finding.open_at is not None


def resumed(
    former: Unfinished,
    query: Query,
    family: Family,
    facts: FactualMoment,
    look: Look,
    settle: Settle,
    asking: Inquiry,
) -> tuple[Finding, PathSummary, Encoding]:
    """The paths that are known now, and a finding: unknown unless what was explored now settles the question."""
    asking.tried |= former.tried
    within = family.scenarios
    if former.explored is None:
        with asking.stage("explore"):
            summary, encoding = look(within[0], asking)
        asking.refine(summary)
        if former.open is not None:
            return Finding(Verdict.UNKNOWN, _OPEN, summary=summary), summary, encoding
        return settle(summary, encoding), summary, encoding
    left = [path for path in former.explored.paths if _is_late(path)]
    if not left or len(left) > _MANY:
        asking.refine(former.explored)
        encoding = encode(former.explored, query.behavior, facts, query.period)
        if not left and former.open is None:  # it was called off before any box was settled, or none can be cut
            return settle(former.explored, encoding), former.explored, encoding
        why = _LEFT if left else _OPEN
        if left:
            asking.direct = Budget(0.0).started()  # the family as a whole has had its time: now box by box
        return Finding(Verdict.UNKNOWN, why, summary=former.explored), former.explored, encoding
    opened = _open_part(former, family)
    where = build.and_(build.any_of(path.condition for path in left), opened)
    with asking.stage("explore"):
        found, _ = look(build.and_(within[0], where), asking)
    new = [replace(path, condition=build.and_(where, path.condition)) for path in found.paths]
    kept = [path for path in former.explored.paths if not _is_late(path)]
    relies_on = tuple(dict.fromkeys((*former.explored.relies_on, *found.relies_on)))
    summary = replace(found, paths=tuple(_numbered([*kept, *new])), relies_on=relies_on)
    asking.refine(summary)
    encoding = encode(summary, query.behavior, facts, query.period)
    here = encoding
    if former.solved:  # the paths that were known settle nothing, but what is open on them still is
        only_new = encode(replace(found, paths=tuple(new)), query.behavior, facts, query.period)
        here = replace(encoding, shows=only_new.shows, refutes=only_new.refutes)
    finding = settle(summary, here)
    # scenarios in settled boxes may be on none of these paths: what is asked is settled there, and nothing else
    is_part = former.solved or opened is not build.TRUE
    return replace(finding, partly=is_part and finding.goal is not None), summary, encoding


def _open_part(former: Unfinished, family: Family) -> Term:
    """A condition that holds in all open boxes."""
    varying, kept = family.varying, former.open
    if kept is None or kept.variables != tuple(ordered(each.symbol, each.order) for each in varying):
        return build.TRUE
    boxes = kept.boxes if len(kept.boxes) <= _FEW else (hull(kept.boxes),)
    return build.any_of(
        build.all_of(each.order.between(each.symbol, *side) for each, side in zip(varying, box, strict=True))
        for box in boxes
    )


def _is_late(path: Path) -> bool:
    return isinstance(path.ending, Unexplored) and path.ending.out_of_time


def _numbered(paths: Sequence[Path]) -> list[Path]:
    """The paths with names of which no two are the same, if they were numbered."""
    numbered = all(path.name.isdecimal() for path in paths)
    return [replace(path, name=str(at)) for at, path in enumerate(paths, start=1)] if numbered else list(paths)
