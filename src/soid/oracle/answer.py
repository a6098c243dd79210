"""The Answer: a verdict, and everything that supports it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Final, final

from msgspec import Struct, field

from soid.assumptions import Assumption
from soid.documents import Document, JsonValue
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.oracle.settled_share import SettledDocument, SettledShare
from soid.program.domain import Domain, describe
from soid.program.interface import Variable
from soid.program.types import json_value
from soid.query.query import Query, QueryKind
from soid.scenario.family import Family
from soid.scenario.supposition import mentioned
from soid.scenario.trace import Supplied
from soid.witness.witness import Change, ChangeDocument, ContrastDocument, Witness, WitnessDocument

#: the name in `settled_by`: on how many scenarios the program was run, if that settled the question
BY_RUNS: Final = "runs"


@final
class Verdict(enum.Enum):
    """The five verdicts; scripts and pages treat the last three as neither yes nor no."""

    YES = "yes"
    NO = "no"
    VACUOUS = "vacuous"  # no scenario satisfies the suppositions
    UNKNOWN = "unknown"  # a budget ran out, or the engine met something unsupported
    ERROR = "error"  # the question is ill-formed, or log and program differ

    @property
    def is_definite(self) -> bool:
        return self in (Verdict.YES, Verdict.NO)


@final
class FreedDocument(Struct, frozen=True):
    """A variable that the family varies, as JSON."""

    variable: str
    over: str
    unit: str


@final
class Freed(Struct, frozen=True):
    """A variable that the family varies, and the domain it varies over."""

    variable: Variable
    domain: Domain

    @property
    def document(self) -> FreedDocument:
        return FreedDocument(self.variable.path, describe(self.variable.type, self.domain), self.variable.unit)


def freed_by(family: Family) -> tuple[Freed, ...]:
    return tuple(Freed(family.interface.variable(path), domain) for path, domain in family.freed.items())


@final
class DerivedDocument(Struct, frozen=True):
    """An input that follows from the log, as JSON."""

    variable: str
    value: JsonValue
    unit: str
    since: str


@final
class OriginsDocument(Struct, frozen=True):
    """The inputs that the log does not have at the moment, as JSON; all others are logged."""

    derived: list[DerivedDocument]
    assumed: list[FreedDocument]


@final
class AnswerDocument(Document, frozen=True):
    """An answer as JSON."""

    text: str = field(name="question")
    kind: QueryKind
    step: int
    future: str | None
    verdict: Verdict
    reason: str
    reason_code: ReasonCode
    witness: WitnessDocument | None
    changed: list[ChangeDocument]
    contrasted: ContrastDocument | None = field(name="contrast")
    settled: SettledDocument | None
    freed: list[FreedDocument]
    suppositions: list[str]
    relies_on: list[Assumption]
    paths: dict[str, int]
    solver: dict[str, Any]
    settled_by: dict[str, int]
    seconds: dict[str, float]
    origins: OriginsDocument


@final
class Answer(Struct, frozen=True):
    """The oracle's answer to one question."""

    query: Query
    text: str  # the question as query text
    step: int  # the keyframe's
    verdict: Verdict
    why: VerdictReason
    witness: Witness | None = None
    contrast: Witness | None = None  # a second scenario with the other outcome, where a rounded log allows both
    instead: tuple[str, ...] = ()  # for a `did` that is no: what may have happened instead, if a rounded log allows it
    settled: SettledShare | None = None  # for an unknown: the share of the family that is settled
    fact: Mapping[str, int] = field(default_factory=dict)  # bits of the decisions: as logged, else as computed
    freed: tuple[Freed, ...] = ()
    suppositions: tuple[str, ...] = ()  # as parsed, literals rounded to their variables' types
    relies_on: tuple[Assumption, ...] = ()
    paths: Mapping[str, int] = field(default_factory=dict)  # by ending
    solver: Mapping[str, Any] = field(default_factory=dict)  # calls, and the recipe
    settled_by: Mapping[str, int] = field(default_factory=dict)  # how much each mechanism and each solver settled
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage
    supplied: Supplied = Supplied()  # what is taken for the inputs that are not logged at the moment
    everywhere: tuple[Mapping[str, int], ...] = ()  # scenarios that settle it together for every unknown value: bits

    @property
    def kind(self) -> QueryKind:
        return self.query.kind

    @property
    def future(self) -> str | None:
        """What is perceived after the first step: `as logged`, `held` or `anything`; None for one step or `did`."""
        several = self.kind is not QueryKind.DID and self.query.period.count > 1
        return self.query.future.value if several else None

    @property
    def reason_code(self) -> ReasonCode:
        return self.why.code

    @property
    def contrasted(self) -> ContrastDocument | None:
        return self.contrast.contrast if self.contrast else None

    @property
    def reason(self) -> str:
        """Why, in one or two sentences for a person."""
        return f"{self.why}; {self.settled}" if self.settled else str(self.why)

    @property
    def changed(self) -> tuple[Change, ...]:
        """How the witness differs from the fact; empty without a witness."""
        return self.witness.changed if self.witness else ()

    def seen(self, witness: Witness) -> tuple[Change, ...]:
        """What the views of inputs that the question names are in fact and in one of its scenarios."""
        interface = witness.interface
        named = {v.path for each in self.query.suppositions for v in mentioned(interface, each)}
        views = [v for v in interface.views if v.parts and v.path in named | self.query.behavior.names]
        fact = {**witness.inputs, **{change.variable.path: change.before for change in witness.changed}}
        states = [(view, view.value_in(fact), view.value_in(witness.inputs)) for view in views]
        return tuple(Change(view, before or 0, after or 0) for view, before, after in states)

    def told(self, witness: Witness) -> tuple[Change, ...]:
        """How a scenario differs from the fact, by the names that the question uses for it."""
        views = [each for each in self.seen(witness) if each.before != each.after]
        bits: dict[str, int] = {}  # of each input: those that these views read
        for part in (part for view in views for part in view.variable.parts):
            path = part.variable.path
            bits[path] = bits.get(path, 0) | ((1 << part.count) - 1) << part.first
        named = {v.path for each in self.query.suppositions for v in mentioned(witness.interface, each)}
        inputs = [
            each
            for each in witness.changed
            if each.variable.path in named or (each.before ^ each.after) & ~bits.get(each.variable.path, 0)
        ]
        return (*inputs, *views)

    @property
    def origins(self) -> OriginsDocument:
        """What the log does not have at the moment, and where it comes from."""
        derived = [
            DerivedDocument(
                each.variable.path, json_value(each.variable.type, each.bits), each.variable.unit, each.since
            )
            for each in self.supplied.derived
        ]
        return OriginsDocument(derived, [Freed(variable, variable.domain).document for variable in self.assumed])

    @property
    def assumed(self) -> tuple[Variable, ...]:
        """The inputs that are not known, those of later steps included."""
        here = {each.variable.path: each.variable for each in self.supplied.assumed}
        if self.witness is not None:
            here |= {path: self.witness.interface.variable(path) for path in self.witness.assumed if path not in here}
        return tuple(here.values())

    @property
    def document(self) -> AnswerDocument:
        return AnswerDocument.of(self)
