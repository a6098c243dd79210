"""The Answer: a verdict, and everything that supports it."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterable, Mapping
from typing import Any, Final, NoReturn, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.assumptions import Assumption
from soid.documents import Document, JsonValue
from soid.errors import ErrorDocument, LogMismatch, QueryError
from soid.oracle.next_step import NextStep
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.oracle.settled_share import SettledDocument, SettledShare
from soid.oracle.settled_steps import SettledSteps
from soid.oracle.told_texts import with_texts
from soid.program.domain import Domain, Range, describe, described
from soid.program.interface import Interface, Variable
from soid.program.types import json_value
from soid.query.lives import of_one_life, other_life
from soid.query.query import Query, QueryKind
from soid.query.words import RoundedText, Words, borders_of, listed, readable, whatever
from soid.query.words.lists import are_several
from soid.scenario.course import Course
from soid.scenario.family import Family
from soid.scenario.origin import Origin, Supplied
from soid.scenario.supposition import mentioned
from soid.scenario.trace import Keyframe
from soid.shown import Shown
from soid.witness.witness import Change, ChangeDocument, ContrastDocument, Ends, Shows, Witness, WitnessDocument

#: the name in `settled_by`: on how many scenarios the program was run, if that settled the question
BY_RUNS: Final = "runs"

_SHOWN_AS: Final = {
    Shows.FACT: "What happened",
    Shows.EXAMPLE: "A scenario in which it does",
    Shows.COUNTEREXAMPLE: "A scenario in which it does not",
    Shows.MEMBER: "One of the scenarios this is about",
}

_PAIR_SHOWN_AS: Final = {
    Shows.FACT: "What happened",
    Shows.EXAMPLE: "A pair for which it holds",
    Shows.COUNTEREXAMPLE: "A pair for which it does not hold",
    Shows.MEMBER: "One of the pairs this is about",
}


_SO_SHOWN_AS: Final = {
    Shows.FACT: "What happened",
    Shows.EXAMPLE: "A scenario in which it is so",
    Shows.COUNTEREXAMPLE: "A scenario in which it is not so",
    Shows.MEMBER: "One of the scenarios this is about",
}


#: what one scenario shows and says no more than that it is so in all of them
_SAID_BY_ALL: Final = (ReasonCode.DOES, ReasonCode.DECIDES_OTHERWISE)


@final
class Verdict(enum.StrEnum):
    """The five verdicts; scripts and pages treat the last three as neither yes nor no.

    >>> Verdict.UNKNOWN == "unknown", Verdict.UNKNOWN.is_definite
    (True, False)
    """

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
    def told(self) -> str:
        """What it varies over, in words: "0.0 to 40.0 m"."""
        return described(self.variable.type, self.domain, self.variable.measure)

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
    underived: str  # why state that is assumed does not follow; empty if that is not clear


@final
class GivenInput(Struct, frozen=True):
    """An input of a scenario that is as in fact, or has one of the values that it may have had."""

    variable: Variable
    bits: int
    origin: Origin
    how: str = ""  # of a derived one: what it follows from


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
    error: ErrorDocument | None
    throughout_code: ReasonCode | None = field(name="throughout")
    witness: WitnessDocument | None
    changed: list[ChangeDocument]
    contrasted: ContrastDocument | None = field(name="contrast")
    settled: SettledDocument | None
    settled_steps: SettledSteps | None
    tried: int
    freed: list[FreedDocument]
    suppositions: list[str]
    remarks: list[str]
    relies_on: list[Assumption]
    paths: dict[str, int]
    solver: dict[str, Any]
    settled_by: dict[str, int]
    seconds: dict[str, float]
    resumable: bool
    before: float | None
    obstacle: str
    next_steps: list[NextStep]
    origins: OriginsDocument


@final
class Answer(Shown, Struct, frozen=True):
    """The oracle's answer to one question."""

    query: Query
    text: str  # the question as query text
    step: int  # the keyframe's
    verdict: Verdict
    why: VerdictReason
    witness: Witness | None = None
    contrast: Witness | None = None  # a second scenario with the other outcome, where both are possible
    throughout: VerdictReason | None = None  # why what the scenario shows is so in all of them, if that is proved
    instead: tuple[str, ...] = ()  # for a `did` that is no: what may have happened instead, if a rounded log allows it
    settled: SettledShare | None = None  # for an unknown: the share of the family that is settled
    settled_steps: SettledSteps | None = None  # for an unknown over several steps: the first ones that are settled
    tried: int = 0  # for an unknown: the single scenarios that were run, none of which settles it
    fact: Mapping[str, int] = field(default_factory=dict)  # bits of the decisions: as logged, else as computed
    fact_ends: Mapping[str, Ends] = field(default_factory=dict)  # of decisions that are known between two ends only
    freed: tuple[Freed, ...] = ()
    suppositions: tuple[str, ...] = ()  # as parsed, literals rounded to their variables' types
    remarks: tuple[str, ...] = ()  # how the question was read, where it may be read otherwise (`soid.query.remarks`)
    relies_on: tuple[Assumption, ...] = ()
    paths: Mapping[str, int] = field(default_factory=dict)  # by ending
    solver: Mapping[str, Any] = field(default_factory=dict)  # calls, and the recipe
    settled_by: Mapping[str, int] = field(default_factory=dict)  # how much each mechanism and each solver settled
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage
    supplied: Supplied = Supplied()  # what is taken for the inputs that are not logged at the moment
    everywhere: tuple[Mapping[str, int], ...] = ()  # scenarios that settle it together for every unknown value: bits
    lasted: Mapping[str, int] = field(default_factory=dict)  # steps that what is supposed `until` has in fact
    resumable: bool = False  # for an unknown: what it has come to is kept, and more time may settle it
    before: float | None = None  # seconds that went into it before it was resumed; None: it was not
    next_steps: tuple[NextStep, ...] = ()  # for an unknown: what may help
    keyframe: Keyframe | None = None  # the moment that it is about

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled with the steps of the log that it is about; the outputs that follow there are in the answer."""
        values = [getattr(self, name) for name in self.__struct_fields__[:-1]]
        keyframe = self.keyframe
        if keyframe is not None:
            log = keyframe.trace and keyframe.trace.part(self.step, self.step + self.query.period.count)
            keyframe = dataclasses.replace(keyframe, trace=log, follow=None)
        return Answer, (*values, keyframe)

    def __repr__(self) -> str:
        return f"Answer({self.verdict.value} to {self.text!r} at step {self.step}: {self.because})"

    def __bool__(self) -> NoReturn:
        raise QueryError(
            f"an answer is neither true nor false: this one is {self.verdict.value}, of five verdicts",
            'Compare its verdict: answer.verdict == "yes".',
        )

    @property
    def kind(self) -> QueryKind:
        return self.query.kind

    def course(self, keyframe: Keyframe) -> Course:
        """What is perceived in its steps, and which scenario is the fact."""
        return self.query.course(keyframe).lasting_as(self.lasted)

    def steps(self, keyframe: Keyframe) -> dict[str, str]:
        """The steps of each input that it varies, in words; empty where they are all steps."""
        if not self.freed:
            return {}
        course = self.course(keyframe)
        return {each.variable.path: course.told(each.variable.path, keyframe.step) for each in self.freed}

    @property
    def future(self) -> str | None:
        """What is perceived after the first step: `as logged`, `held` or `anything`; None for one step or `did`."""
        several = self.kind is not QueryKind.DID and self.query.period.count > 1
        return self.query.future.value if several else None

    @property
    def reason_code(self) -> ReasonCode:
        return self.why.code

    @property
    def error(self) -> ErrorDocument | None:
        """Of a verdict `error`: what programs tell it from other errors by."""
        if self.verdict is not Verdict.ERROR:
            return None
        remedy = "Check that this log was made by this program, or accept the mismatch on the record."
        return ErrorDocument(LogMismatch.code, LogMismatch.__name__, self.because, remedy)

    @property
    def throughout_code(self) -> ReasonCode | None:
        return self.throughout.code if self.throughout is not None else None

    @property
    def is_of_all(self) -> bool:
        """Whether it is proved of the whole family, and not shown by one scenario alone."""
        proved = Verdict.YES if self.kind is QueryKind.WOULD else Verdict.NO
        return self.kind is not QueryKind.DID and (self.verdict is proved or self.throughout is not None)

    def in_fact(self, name: str) -> Range | None:
        """What a decision was: as logged, else as computed; None: that is not known."""
        bits = self.fact.get(name)
        ends = self.fact_ends.get(name) if bits is None else (bits, bits)
        return None if ends is None else Range(*ends)

    @property
    def contrasted(self) -> ContrastDocument | None:
        return self.contrast.contrast if self.contrast else None

    @property
    def reason(self) -> str:
        """Why, in one or two sentences for a person."""
        return "; ".join((self.because, *self.settled_in_part))

    @property
    def settled_in_part(self) -> tuple[str, ...]:
        """For an unknown: what is settled of it all the same, in words."""
        share = (str(self.settled),) if self.settled is not None else ()
        return (*self.settled_besides, *share)

    @property
    def settled_besides(self) -> tuple[str, ...]:
        """The same without the share."""
        told = [str(self.settled_steps)] if self.settled_steps is not None else []
        if self.tried and self.future is not None:
            are = "scenarios were run, and settle" if self.tried > 1 else "scenario was run, and settles"
            told.append(f"{self.tried:,} single {are} nothing")
        return tuple(told)

    @property
    def obstacle(self) -> str:
        """For an unknown: what stands in the way, in a plain sentence; empty if the reason says it so."""
        return self.why.obstacle if self.verdict is Verdict.UNKNOWN else ""

    @property
    def because(self) -> str:
        """The reason for the verdict, in words; programs tell reasons by `reason_code`."""
        about = self.keyframe or self.witness
        if about is None:
            return self._because
        from soid.oracle.conflict_words import conflict  # seldom needed, and it loads the parser

        is_conflict = self.verdict is Verdict.VACUOUS
        return (is_conflict and conflict(self.why, about.interface)) or Words(about.interface).spoken(self._because)

    @property
    def _because(self) -> str:
        """The reason; that of a counterfactual says that it holds whatever was that is not known."""
        unknown = [] if self.witness is None else self._all_called(self.witness.assumed, self.witness.interface)
        why = self._told(self.why)
        if self.is_of_all:
            always = self._told(self.throughout or self.why) + (f", {whatever(unknown)}" if unknown else "")
            says_more = self.throughout is not None and self.why.code not in _SAID_BY_ALL
            return f"{always}; {why}" if says_more else always
        if not unknown or not self.verdict.is_definite or self.kind is QueryKind.DID:
            return why
        return f"{why}, and there is one for every value that {listed(unknown)} may have had"

    def _told(self, why: VerdictReason) -> str:
        if self.query.lives is not None:
            return why.of_pairs
        if self.query.behavior.speaks_of_endings:
            return why.of_endings
        return why.as_so if self._is_told_as_so else str(why)

    @property
    def _is_told_as_so(self) -> bool:
        """Whether it is told that the behavior is so; without a scenario there is nothing to tell."""
        return self.witness is not None and Words(self.witness.interface).is_told_as_so(self.query)

    @property
    def events(self) -> tuple[Variable, ...]:
        """The events of a world that the question is about; empty without a scenario, which names them."""
        if self.witness is None:
            return ()
        interface = self.witness.interface
        return tuple(interface.variable(path) for path in sorted(interface.events & self.query.behavior.names))

    @property
    def harms(self) -> tuple[Variable, ...]:
        """Those of them that are harm."""
        return tuple(each for each in self.events if self.witness and each.path in self.witness.interface.harms)

    @property
    def harm(self) -> str:
        """That it is about harm, in words; empty if it is not."""
        told = listed(each.label or each.path for each in self.harms) if self.harms else ""
        return f"This is about harm: {told}." if told else ""

    @property
    def wanting(self) -> str:
        """What would settle an answer that hangs on something that is not known, in sentences; empty for others."""
        if self.why.code not in (ReasonCode.DEPENDS, ReasonCode.FACT_ASSUMED):
            return ""
        return f"Log it, or suppose what it was. {self.supplied.underived}".rstrip()

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
        return tuple(
            Change(view, before or 0, after or 0, self._origin(view, witness)) for view, before, after in states
        )

    def told(self, witness: Witness) -> tuple[Change, ...]:
        """How a scenario differs from the fact, by the names that the question uses for it."""
        views = [each for each in self.seen(witness) if each.before != each.after or not each.is_known]
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
        changed = with_texts(self.with_origins(inputs, witness), self.query, witness.interface, witness.inputs)
        return (*changed, *views)

    def with_origins(self, changed: Iterable[Change], witness: Witness) -> tuple[Change, ...]:
        """Changes with the origins of their factual values."""
        return tuple(replace(each, origin=self._origin(each.variable, witness)) for each in changed)

    def _origin(self, variable: Variable, witness: Witness) -> Origin:
        """Where the factual value of an input comes from, or that of a name for bits of some."""
        paths = {source.path for source in variable.sources}
        if paths & {*witness.unlogged, *witness.assumed}:
            return Origin.ASSUMED
        derived = any(each.variable.path in paths for each in self.supplied.derived)
        return Origin.DERIVED if derived else Origin.LOGGED

    def given(self, witness: Witness) -> tuple[GivenInput, ...]:
        """The inputs of a scenario that do not differ from the fact, those included of which it is not known."""
        changed = {each.variable.path for each in witness.changed} | witness.unlogged
        since = {each.variable.path: each.how for each in self.supplied.derived}
        return tuple(
            GivenInput(v, witness.inputs[v.path], self._origin(v, witness), since.get(v.path, ""))
            for v in witness.interface.inputs
            if v.path not in changed
        )

    def taken(self, witness: Witness) -> str:
        """The values that a scenario has for inputs that are not known, in words; empty if all are known."""
        values = self._assumed_in(witness)
        return (
            f"{self.taken_values(witness)}; {'it is' if len(values) == 1 else 'they are'} not known" if values else ""
        )

    def taken_values(self, witness: Witness) -> str:
        """The same, without that they are not known."""
        values = (
            f"{self._called(each.variable.path, witness.interface)} {readable(each.variable, each.bits)}"
            for each in self._assumed_in(witness)
        )
        return f"taken here: {', '.join(values)}"

    def _assumed_in(self, witness: Witness) -> list[GivenInput]:
        return [each for each in self.given(witness) if each.origin is Origin.ASSUMED]

    def nearness(self, witness: Witness) -> RoundedText | None:
        """Whether scenarios are nearer to the fact than one of its scenarios, and where; None if there are none."""
        what = "scenario" if self.query.lives is None else "pair"
        if not witness.nearest or self.throughout is not None:
            text = f"The search for a {what} nearer to the fact is incomplete: there may be one."
            return None if witness.settled else RoundedText(text, text)
        fact = {change.variable.path: change.before for change in witness.changed}
        read, exact = [], []
        for path, bits in witness.nearest.items():
            variable, name = witness.interface.variable(path), self._called(path, witness.interface)
            borders = borders_of(self.query, variable, witness.inputs[path], fact.get(path, bits))
            read.append(f"{name} at {readable(variable, bits, borders)}")
            exact.append(f"{name} at {variable.amount(bits)}")
        told = f"Of such {what}s the nearest to the fact is the one with {{}}."
        if not witness.settled:
            told = f"A nearer {what} that was found has {{}}; there may be others, nearer still."
        return RoundedText(told.format(listed(read)), told.format(listed(exact)))

    def _called(self, path: str, interface: Interface) -> str:
        """An input in words; in a pair, whose it is."""
        if self.query.lives is None:
            return Words(interface).called(path)
        second = f"{other_life(interface)}."
        whose = "the other" if path.startswith(second) else "the one"
        return f"{Words(of_one_life(interface)).called(path.removeprefix(second))} of {whose}"

    def _all_called(self, paths: Iterable[str], interface: Interface) -> list[str]:
        return [self._called(path, interface) for path in paths]

    def heading(self, witness: Witness) -> str:
        """What one of its scenarios shows, in words."""
        what = witness.shows if self.throughout is None else Shows.MEMBER
        if self.query.lives is not None:
            shows = _PAIR_SHOWN_AS[what]
        else:
            shows = (_SO_SHOWN_AS if self._is_told_as_so else _SHOWN_AS)[what]
        if witness.shows is Shows.FACT and witness.assumed:
            shows = "What may have happened"
        if self.verdict is Verdict.UNKNOWN and self.why.code is ReasonCode.UNEXPLORED:
            return f"As it was run here: {shows[0].lower()}{shows[1:]}"
        if self.why.code is not ReasonCode.DEPENDS or self.witness is None or self.contrast is None:
            return shows
        here, there = self.witness.inputs, self.contrast.inputs
        apart = [self.witness.interface.variable(path) for path in witness.assumed if here[path] != there[path]]
        names = self._all_called((v.path for v in apart), witness.interface)
        values = listed(
            f"{name} {'were' if are_several([name]) else 'was'} {readable(v, witness.inputs[v.path])}"
            for name, v in zip(names, apart, strict=True)
        )
        if witness.shows is Shows.MEMBER:
            shows = f"one of the scenarios, in {'all' if self.kind is QueryKind.WOULD else 'none'} of which it is so"
        return f"If {values}: {shows[0].lower()}{shows[1:]}"

    @property
    def origins(self) -> OriginsDocument:
        """What the log does not have at the moment, and where it comes from."""
        derived = [
            DerivedDocument(
                each.variable.path, json_value(each.variable.type, each.bits), each.variable.unit, each.since
            )
            for each in self.supplied.derived
        ]
        assumed = [Freed(variable, variable.domain).document for variable in self.assumed]
        return OriginsDocument(derived, assumed, self.supplied.underived)

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
