"""Query: did, would or might, the Behavior asked about, and the suppositions.

>>> from soid.scenario.expression import error_at, Name
>>> from soid.scenario.supposition import Anything
>>> Query(QueryKind.MIGHT, Behavior(Name("move")), (Anything("signal"),)).kind.value
'might'
"""

from __future__ import annotations

import enum
from typing import Protocol, final, runtime_checkable

from msgspec import Struct
from msgspec.structs import replace

from soid.errors import QueryError
from soid.program.interface import Interface, Role, Variable
from soid.query.behavior import Behavior
from soid.query.every_input import of_each_input
from soid.query.lives import Lives
from soid.query.steps import ONE, Steps
from soid.scenario.character_arrays import with_characters
from soid.scenario.course import Course
from soid.scenario.expression import FactOf, error_at, pointing_at, walk
from soid.scenario.free_conditions import check_formula
from soid.scenario.future import Future
from soid.scenario.logged_course import logged_course
from soid.scenario.output_conditions import output_condition
from soid.scenario.supposed_course import supposed_course
from soid.scenario.supposition import (
    During,
    Keep,
    Satisfies,
    Supposition,
    Within,
    check_distance,
    freed,
    in_log,
    mentioned,
    supposition_text,
)
from soid.scenario.trace import Keyframe, Trace


@final
class QueryKind(enum.StrEnum):
    """Which scenarios a question asks about."""

    DID = "did"  # the fact
    WOULD = "would"  # every scenario of the family
    MIGHT = "might"  # some scenario of the family


@runtime_checkable
class Supposable(Protocol):
    """What is no supposition, and can be made one: a formula that is written in Python."""

    @property
    def supposition(self) -> Supposition: ...


@final
class Query(Struct, frozen=True):
    """A question."""

    kind: QueryKind
    behavior: Behavior
    suppositions: tuple[Supposition, ...] = ()
    steps: Steps | None = None  # None: not written; then the manifest's number of steps, by default one
    lives: Lives | None = None  # of a question about pairs: what it says; behavior and suppositions follow from that

    def __repr__(self) -> str:
        from soid.query.language.query_printer import to_text  # loaded on demand: it knows queries

        return f"Query({to_text(self)!r})"

    def given(self, *supposed: Supposable | Supposition) -> Query:
        """The question with more that is supposed: would(v.move).given(v.signal.anything(), v.x < 2)."""
        return replace(self, suppositions=(*self.suppositions, *map(supposition_of, supposed)))

    @property
    def period(self) -> Steps:
        return self.steps or ONE

    @property
    def future(self) -> Future:
        """What is perceived after the first step: in a `did` what was logged.

        Where nothing is written everything is held: so it is in answers of versions that knew no other future. A
        question that is put now has one written (`going`).
        """
        return Future.AS_LOGGED if self.kind is QueryKind.DID else self.period.future or Future.HELD

    def facts(self, interface: Interface) -> list[str]:
        """The names of which it reads the factual value, with a prime for the state after the call.

        A name for some bits of a variable is among them if something is supposed of it: the other bits are as in fact.
        """
        found = set(self.behavior.facts)
        for supposition in self.suppositions:
            supposed = supposition.supposed if isinstance(supposition, During) else supposition
            if isinstance(supposed, Satisfies):
                found |= Behavior(supposed.formula).facts
            if isinstance(supposed, Keep) or not (interface.views or isinstance(supposed, Within)):
                continue  # no other kind reads the fact
            named = mentioned(interface, supposed)
            found |= {variable.path for variable in named if variable.parts or isinstance(supposed, Within)}
        return sorted(found)

    def going(self, future: Future) -> Query:
        """The query with a future, if it needs one and has none."""
        if self.kind is QueryKind.DID or self.period.count == 1 or self.period.future is not None:
            return self
        return replace(self, steps=replace(self.period, future=future))

    def moment(self, keyframe: Keyframe) -> Keyframe:
        """The moment that it is about: of a question about pairs both lives."""
        return keyframe if self.lives is None else self.lives.moment(keyframe)

    def course(self, keyframe: Keyframe) -> Course:
        """What is perceived in its steps; in a `did` what was logged, and what that may stand for."""
        keyframe = self.moment(keyframe)
        if self.kind is QueryKind.DID:
            following = keyframe.following(self.period.count - 1)  # what is missing no other future mends
            if (found := logged_course(keyframe, following)) is not None:
                return found
        return supposed_course(keyframe, self.suppositions, self.period.count, self.future)

    def __post_init__(self) -> None:
        if self.kind is QueryKind.DID and self.suppositions:
            raise error_at(
                self.suppositions[0].span,
                "`did` asks about what happened, so nothing may differ",
                "Leave out what follows `if`, or ask `would` (always) or `might` (ever).",
            )
        if self.kind is QueryKind.DID and self.period.future is not None:
            raise QueryError(
                f"`did` asks about what happened, which is in the log: `{self.period.future.value}` has no place in it",
                f"Write `{self.period.plain}`.",
            )

    def checked(self, interface: Interface, log: Trace | None = None) -> CheckedQuery:
        """Refuse a query that is ill-typed, has contradictory suppositions, or mentions unknown variables.

        With the log that it is about, times in it become numbers of steps.
        """
        lives = None if self.lives is None else self.lives.of_each_input(interface)
        meant = replace(self, lives=lives, suppositions=of_each_input(self.suppositions, interface))
        meant = meant if lives is None else meant._of_pairs(lives, interface)
        known = interface if lives is None else lives.interface(interface)
        behavior = with_characters(meant.behavior, known)
        supposed = tuple(with_characters(each, known) for each in meant.suppositions)
        behavior.check(known)
        check_suppositions(known, supposed)
        supposed = supposed if log is None else in_log(supposed, log)
        return CheckedQuery(replace(meant, behavior=behavior, suppositions=supposed), known)

    def _of_pairs(self, lives: Lives, interface: Interface) -> Query:
        """A question about pairs as one about the variables of both lives."""
        if self.kind is QueryKind.DID or self.period.count > 1:
            raise QueryError(
                "a question about pairs is a `would` or a `might` about one decision",
                "Leave out what it says of steps.",
            )
        lives.check(interface)
        behavior = Behavior(lives.behavior(interface))
        return replace(self, behavior=behavior, suppositions=lives.suppositions(interface))


@final
class CheckedQuery(Struct, frozen=True):
    """A query that fits an interface. Only `Query.checked` makes one, so a query is checked once on its way."""

    query: Query
    interface: Interface


def supposition_of(each: Supposable | Supposition) -> Supposition:
    """A supposition as it is, or what a formula supposes."""
    if isinstance(each, Supposition):
        return each
    if not isinstance(each, Supposable):
        raise QueryError(
            f"{each!r} is nothing that can be supposed",
            "Give formulas and what variables have, one after the other: v.x < 2, v.signal.anything().",
        )
    return each.supposition


def check_suppositions(interface: Interface, suppositions: tuple[Supposition, ...]) -> None:
    """Refuse suppositions of which one is wrong whatever the fact is, or that contradict each other."""
    for supposition in suppositions:
        check_supposition(interface, supposition)
    freed(interface, suppositions)


def check_supposition(interface: Interface, supposition: Supposition) -> None:
    """Refuse a supposition that is wrong whatever the fact is."""
    variables = mentioned(interface, supposition)
    if isinstance(supposition, During):
        _check_during(interface, supposition, variables)
        _check_untimed(interface, supposition.supposed, variables)
        return
    for variable in variables:
        if not variable.is_input:
            raise error_at(
                supposition.span,
                f"{variable.path} is decided anew in each step: in which of them is something else done?",
                f"Say it: `{supposition_text(supposition)} at step 3`, `from step 3 to step 5`, or `from step 3`.",
            )
    _check_untimed(interface, supposition, variables)


def _check_untimed(interface: Interface, supposition: Supposition, variables: tuple[Variable, ...]) -> None:
    with pointing_at(supposition.span):
        if isinstance(supposition, Within):
            check_distance(variables[0], supposition)
        elif isinstance(supposition, Satisfies):
            check_formula(supposition.formula, interface)


def _check_during(interface: Interface, supposition: During, variables: tuple[Variable, ...]) -> None:
    """Refuse what cannot be supposed of later steps."""
    for variable in variables:
        if variable.role is Role.STATE:
            raise error_at(
                supposition.span,
                f"{variable.path} is what the program remembers: after the first step it has what the program left",
                f"Suppose something of {variable.path} without steps, for the moment asked about.",
            )
    acts = [variable.path for variable in variables if not variable.is_input]
    if acts and supposition.until is not None:
        raise error_at(
            supposition.span,
            f"{acts[0]} is what is done, which lasts for steps that are named, not until something",
            "Write `from step 3 to step 5`, or `from step 3`.",
        )
    if supposition.until is not None:
        with pointing_at(supposition.span):
            output_condition(supposition.until, interface)
    supposed = supposition.supposed
    formula = supposed.formula if isinstance(supposed, Satisfies) else None
    nodes = walk(formula) if formula is not None else ()
    if isinstance(supposed, Within) or any(isinstance(node, FactOf) and node.shown is None for node in nodes):
        raise error_at(
            supposition.span,
            "`fact` means the moment asked about, not the steps that this is about",
            "Write the values: x == 3, or 1.0 <= x <= 1.5.",
        )
