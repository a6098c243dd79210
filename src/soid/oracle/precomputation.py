"""Exploring a program before any question is asked, over all or some of its inputs: the paper's other way to get Pi.

The paths are kept (`engine/summary_cache`), so that later questions about these states need solving only. Unexplored
paths are kept as unexplored: a question that reaches one explores again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Final, final

from msgspec import Struct

from soid.documents import Document
from soid.engine.summary import Unexplored
from soid.formula.build import TRUE
from soid.oracle.answer import Freed, FreedDocument, freed_by
from soid.oracle.inquiry import Context, Inquiry
from soid.program.interface import Interface
from soid.scenario.family import Family
from soid.scenario.supposition import Anything


@final
class CompiledDocument(Document, frozen=True):
    """The result of exploring ahead, as JSON."""

    complete: bool
    kept: bool
    not_kept: str
    freed: list[FreedDocument]
    paths: Mapping[str, int]
    left: tuple[str, ...]
    settled_by: Mapping[str, int]
    seconds: float


@final
class Compiled(Struct, frozen=True):
    """The result of exploring ahead, and whether it was kept."""

    freed: tuple[Freed, ...]
    paths: Mapping[str, int]  # by ending
    left: tuple[str, ...]  # why paths were left unexplored
    not_kept: str  # why the paths are not kept, in words; empty: they are kept
    settled_by: Mapping[str, int]
    seconds: float

    @property
    def kept(self) -> bool:
        return not self.not_kept

    @property
    def complete(self) -> bool:
        """Whether every question about these states finds its paths."""
        return not self.left and self.kept

    @property
    def document(self) -> CompiledDocument:
        return CompiledDocument.of(self)


_OF_WORLD: Final = "what a world makes of decisions is found anew for each question"


def compile_ahead(
    interface: Interface, fact: Mapping[str, int], free: Sequence[str], context: Context, *, steps: int = 1
) -> Compiled:
    """Find and keep the paths over the inputs in `free`, each within its domain, the others as in fact."""
    assert context.summaries is not None, "there is nowhere to keep them"
    asking = Inquiry(context)
    family = Family(interface, fact, tuple(Anything(path) for path in free), pinning=False)
    began = time.perf_counter()
    states = family.precondition if free else TRUE
    exploration = asking.exploration(family.fixed, states, asking.deadline, steps=steps)
    with asking.stage("explore"):
        summary = context.engine.explore(exploration)
    asking.settled_by.update(summary.settled_by)
    left = dict.fromkeys(path.ending.reason for path in summary.paths if isinstance(path.ending, Unexplored))
    keeps = context.engine.keeps(exploration)
    return Compiled(
        freed=freed_by(family),
        paths=summary.counts(),
        left=tuple(left),
        not_kept=context.summaries.keep(exploration, summary, incomplete=True) if keeps else _OF_WORLD,
        settled_by=asking.settled(),
        seconds=round(time.perf_counter() - began, 6),
    )
