"""Query: did, would or might, the Behavior asked about, and the suppositions.

>>> from soid.scenario.expression import error_at, Name
>>> from soid.scenario.supposition import Anything
>>> Query(QueryKind.MIGHT, Behavior(Name("move")), (Anything("signal"),)).kind.value
'might'
"""

from __future__ import annotations

import enum
from typing import final

from msgspec import Struct

from soid.program.interface import Interface
from soid.query.behavior import Behavior
from soid.query.steps import ONE, Steps
from soid.scenario.expression import error_at, pointing_at
from soid.scenario.family import InputScope
from soid.scenario.kleene_terms import lower
from soid.scenario.supposition import Satisfies, Supposition, Within, check_distance, freed, mentioned


@final
class QueryKind(enum.Enum):
    """Which scenarios a question asks about."""

    DID = "did"  # the fact
    WOULD = "would"  # every scenario of the family
    MIGHT = "might"  # some scenario of the family


@final
class Query(Struct, frozen=True):
    """A question."""

    kind: QueryKind
    behavior: Behavior
    suppositions: tuple[Supposition, ...] = ()
    steps: Steps | None = None  # None: not written; then the manifest's number of steps, by default one

    @property
    def period(self) -> Steps:
        return self.steps or ONE

    def __post_init__(self) -> None:
        if self.kind is QueryKind.DID and self.suppositions:
            raise error_at(
                self.suppositions[0].span,
                "`did` asks about what happened, so nothing may differ",
                "Leave out what follows `if`, or ask `would` (always) or `might` (ever).",
            )

    def checked(self, interface: Interface) -> CheckedQuery:
        """Refuse a query that is ill-typed, has contradictory suppositions, or mentions unknown variables."""
        self.behavior.check(interface)
        check_suppositions(interface, self.suppositions)
        return CheckedQuery(self, interface)


@final
class CheckedQuery(Struct, frozen=True):
    """A query that fits an interface. Only `Query.checked` makes one, so a query is checked once on its way."""

    query: Query
    interface: Interface


def check_suppositions(interface: Interface, suppositions: tuple[Supposition, ...]) -> None:
    """Refuse suppositions of which one is wrong whatever the fact is, or that contradict each other."""
    for supposition in suppositions:
        check_supposition(interface, supposition)
    freed(interface, suppositions)


def check_supposition(interface: Interface, supposition: Supposition) -> None:
    """Refuse a supposition that is wrong whatever the fact is."""
    variables = mentioned(interface, supposition)
    with pointing_at(supposition.span):
        if isinstance(supposition, Within):
            check_distance(variables[0], supposition)
        elif isinstance(supposition, Satisfies):
            lower(supposition.formula, InputScope(interface, {each.path: 0 for each in interface.inputs}, {}))
