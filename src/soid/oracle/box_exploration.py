"""Exploration box by box, for a family that is too large to explore at once: a small box has few feasible paths.

A result for a box holds for its states only, so each kept path has the box in its condition. These paths and the paths
explored before are together the program's paths over all settled states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.assumptions import Assumption
from soid.budget import Budget, Deadline
from soid.engine.summary import Path, PathSummary, Unexplored
from soid.formula import build
from soid.formula.checker import Impossible, Open, Possibility
from soid.formula.term import Term
from soid.oracle.encoding import Encoding
from soid.oracle.finding import Finding, might, would
from soid.oracle.inquiry import Inquiry
from soid.query.query import QueryKind

#: seconds for one box, at most
ONE_BOX: Final = 0.5

#: explores a precondition: its paths, and where on them the behavior occurs
Look = Callable[[Term, Inquiry], tuple[PathSummary, Encoding]]


@final
class BoxExploration(Struct):
    """One question, asked of one box after the other."""

    look: Look
    kind: QueryKind
    precondition: Term
    puncture: Term
    asking: Inquiry
    deadline: Deadline
    paths: list[Path] = field(default_factory=list)  # of the settled boxes
    relies_on: dict[Assumption, None] = field(default_factory=dict)
    found: Finding | None = None  # set when a box has a scenario that settles the question

    def settle(self, bounds: Sequence[Term]) -> Possibility:
        """Whether a state within the bounds settles the question; if one does, `found` is set."""
        where = build.and_(self.precondition, *bounds)
        inner = self._inner()
        summary, encoding = self.look(where, inner)
        finding: Finding | None = None
        if not summary.approximations:  # `inner` does not refine approximated functions
            within = [where, self.puncture]
            decide = would if self.kind is QueryKind.WOULD else might
            finding = decide(within, encoding, summary, inner)
        self.asking.calls += inner.calls
        self.asking.settled_by.update(inner.settled_by)
        if finding is None or not finding.verdict.is_definite:
            return Open("not settled in this box")
        self.relies_on.update(dict.fromkeys(summary.relies_on))
        self.paths += [replace(path, condition=build.and_(*bounds, path.condition)) for path in summary.paths]
        if finding.goal is None:
            return Impossible()
        self.found = finding
        return Open("settled by a scenario")

    def _inner(self) -> Inquiry:
        context = self.asking.inner()
        left = Budget(ONE_BOX).started().sooner(self.deadline).seconds_left
        settings = replace(context.settings, seconds=left, recipe=context.settings.recipe.without("paving"))
        return Inquiry(replace(context, settings=settings, summaries=None))  # later questions cannot reuse a small box

    def explored(self, summary: PathSummary) -> PathSummary:
        """All paths so far, those in boxes among them; nothing is left out of what is unexplored."""
        return self.completed(summary, everything=False)

    def completed(self, summary: PathSummary, *, everything: bool) -> PathSummary:
        """The paths explored before and those of the boxes; `everything`: the boxes leave nothing unexplored."""
        before = [path for path in summary.paths if not everything or not isinstance(path.ending, Unexplored)]
        relies_on = tuple(dict.fromkeys((*summary.relies_on, *self.relies_on)))
        return replace(summary, paths=(*before, *self.paths), relies_on=relies_on)
