"""A QuestionDraft: a question while it is being composed, from its kind, its behavior and its suppositions.

It knows no pages. `read` gives the question only in the form that the language parses and prints.

>>> from soid.case.project import Project
>>> from soid.examples import folder
>>> project = Project.open(folder("microwave"))
>>> draft = QuestionDraft(project.keyframe)
>>> draft.kind, draft.behavior = QueryKind.MIGHT, "action == CANCEL"
>>> heat = draft.suppose("heat", How.ANYTHING)
>>> read = draft.read()
>>> read.text, read.chips[0].words, read.chips[0].was
('might action == CANCEL if heat is anything', 'is anything: false, true', 'true')
>>> read.sentence
'Might it ever cancel, whatever the heater had been?'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import reduce
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.errors import InternalError, KeyframeError, QueryError, SoidError
from soid.program.domain import Range
from soid.program.interface import Interface, Role, Variable
from soid.program.types import show
from soid.query.language.query_parser import parse
from soid.query.language.query_printer import to_text
from soid.query.query import Query, QueryKind, check_supposition
from soid.query.remarks import remarks
from soid.query.steps import ONE, Steps
from soid.query.words import called, sentence
from soid.query.words.amount_words import shown
from soid.scenario.future import Future
from soid.scenario.origin import is_constant
from soid.scenario.supposition import During, Keep, Supposition, freed, mentioned, supposition_text
from soid.scenario.trace import Keyframe
from soid.web.page.amounts import typed
from soid.web.page.behavior_choices import first_asked
from soid.web.page.draft_state import DraftState
from soid.web.page.draft_steps import SpanKind, StepSpan, typed_steps, unlogged
from soid.web.page.supposition_draft import (
    How,
    SuppositionDraft,
    at_most,
    caution,
    ends,
    exact_way,
    made,
    phrase,
)

_CHECKED: Final = 1000  # steps of a question whose course is checked while it is composed; asking checks every one


@final
class Chip(Struct, frozen=True):
    """A supposition in words."""

    id: int
    subject: str  # the variable in words
    words: str  # how it differs
    was: str  # its factual value; empty for a formula
    together: str  # a remark if another supposition is on the same variable
    caution: str  # a warning before asking
    problem: QueryError | None = None  # why it is no supposition yet


@final
class DraftReading(Struct, frozen=True):
    """The draft as a question, or why it is none yet."""

    chips: tuple[Chip, ...]
    query: Query | None = None  # None: it cannot be asked yet
    text: str = ""  # its query text in normal form
    sentence: str = ""  # the question in words
    behavior: QueryError | None = None  # what is wrong with the behavior
    problem: SoidError | None = None  # what is wrong with the whole
    caution: str = ""  # a warning before asking


@final
class QuestionDraft:
    """A question about one moment, while it is being composed."""

    def __init__(self, keyframe: Keyframe, *, steps: Steps | None = None) -> None:
        """`steps` is the default number of steps, from the program's manifest."""
        self.keyframe = keyframe
        self.usual = steps
        self.over = steps.over if steps is not None else None  # None: the behavior is about one step
        self.count = str(steps.count) if steps is not None else ""  # of steps, as typed
        self.future = Future.AS_LOGGED  # the world of a question over several steps
        self.kind = QueryKind.DID
        self.behavior = first_asked(keyframe)
        self.supposed: tuple[SuppositionDraft, ...] = ()
        self.last_id = 0  # of a supposition
        self._last: tuple[Keyframe, object, DraftReading] | None = None  # what was read, and of what
        self._parsed: tuple[str, Query | None] = ("", None)  # the behavior that was read last
        self.derived = False  # whether what is not logged at the moment was looked for

    @property
    def interface(self) -> Interface:
        return self.keyframe.interface

    @property
    def fact(self) -> Mapping[str, int]:
        """Bits of every input at the moment asked about."""
        return self.keyframe.inputs

    def was(self, variable: Variable) -> str:
        """What an input was at the moment, with its origin unless it was logged."""
        if not self.derived and any(each.path in self.keyframe.assumed for each in variable.sources):
            return "not logged"
        return self.keyframe.told(variable.path, shown(variable, variable.value_in(self.fact) or 0))

    # --- composing

    @property
    def state(self) -> DraftState:
        """All that was composed."""
        return DraftState(self.kind, self.behavior, self.over, self.count, self.future, self.supposed)

    def become(self, state: DraftState) -> None:
        """Take over what was composed, here or elsewhere."""
        self.kind, self.behavior, self.supposed = state.kind, state.behavior, state.supposed
        self.over, self.count, self.future = state.over, state.count, state.future
        self.last_id = max([self.last_id, *(each.id for each in state.supposed)])

    def suppose(self, path: str, how: How, *values: str) -> SuppositionDraft:
        """Add a supposition; the first one turns a `did` into a `would`."""
        if self.kind is QueryKind.DID and not self.supposed:
            self.kind = QueryKind.WOULD
        self.last_id += 1
        new = SuppositionDraft(self.last_id, how, self.interface.variable(path).path if path else "", values)
        self.supposed += (new,)
        return new

    def edit(self, id_: int, how: How, *values: str) -> None:
        """Change a supposition, if it still exists."""
        self.supposed = tuple(
            replace(each, how=how, values=values) if each.id == id_ else each for each in self.supposed
        )

    def remove(self, id_: int) -> None:
        self.supposed = tuple(each for each in self.supposed if each.id != id_)

    def clear(self) -> None:
        self.supposed = ()

    def drop(self, path: str) -> None:
        """Remove the suppositions on a variable."""
        self.supposed = tuple(each for each in self.supposed if each.path != path)

    def may_have_steps(self, supposed: SuppositionDraft) -> bool:
        """Whether steps of its own are offered for a supposition: where the question has several, or it has some."""
        several = self.steps.count > 1 or supposed.span.kind is not SpanKind.ALL
        factual = (How.WITHIN, How.BELOW, How.ABOVE, How.RISING, How.FALLING)  # `fact` means the moment asked about
        plain = supposed.how not in (*factual, How.FORMULA)
        return several and plain and self.interface.variable(supposed.path).role is Role.ENVIRONMENT

    def get(self, id_: int) -> SuppositionDraft | None:
        return next((each for each in self.supposed if each.id == id_), None)

    def on(self, path: str) -> tuple[SuppositionDraft, ...]:
        """The suppositions on a variable."""
        return tuple(each for each in self.supposed if each.path == path)

    def put(self, path: str, how: How, *values: str) -> None:
        """Replace all suppositions on a variable by one, as dragging does; what is supposed of other steps stays."""
        known = [each for each in self.on(path) if each.span.begins_at(self.keyframe)]
        if len(known) == 1:
            self.edit(known[0].id, how, *values)
        else:
            self.supposed = tuple(each for each in self.supposed if each not in known)
            self.suppose(path, how, *values)

    def fix(self, variable: Variable, value: str) -> None:
        """Suppose one value of a variable instead of all that is supposed of it."""
        self.put(variable.path, exact_way(variable), value)

    def time(self, id_: int, span: StepSpan) -> None:
        """Say in which steps a supposition holds."""
        self.supposed = tuple(replace(each, span=span) if each.id == id_ else each for each in self.supposed)

    def take(
        self, values: Mapping[str, int], changed: Sequence[str] = (), untils: Mapping[str, During] | None = None
    ) -> None:
        """Suppose exactly how a scenario differs from the fact, for the next question.

        `changed` names what differs in later steps: an input that lasts, or one of some steps (`pilot@230..239`).
        `untils` has those among them that were supposed until something; they become text.
        """
        self.clear()
        ending = {path: supposed for path, supposed in (untils or {}).items() if path in changed}
        for variable in self.interface.inputs:
            path = variable.path
            if path not in values or path in ending:
                continue
            if values[path] != self.fact[path] or path in changed or path in self.keyframe.assumed:
                self.fix(variable, show(variable.type, values[path]))
        for path, mark in (each.split("@") for each in changed if "@" in each and each not in ending):
            variable = self.interface.variable(path)
            self.suppose(path, exact_way(variable), show(variable.type, values[f"{path}@{mark}"]))
            self.time(self.last_id, StepSpan.of_mark(mark))
        for path, supposed in ending.items():
            variable = self.interface.variable(path.partition("@")[0])
            value = SuppositionDraft(0, exact_way(variable), variable.path, (show(variable.type, values[path]),))
            (plain,) = made(value, self.interface)
            if not isinstance(plain, Keep | During):
                self.suppose("", How.FORMULA, supposition_text(replace(supposed, supposed=plain)))

    # --- reading

    @property
    def point(self) -> dict[str, int]:
        """Bits of every input: the supposed value if there is exactly one, else the factual value."""
        return {**self.fact, **self.pointed}

    @property
    def pointed(self) -> dict[str, int]:
        """Bits of the inputs that have exactly one supposed value, unless that is the factual one."""
        values: dict[str, int] = {}
        for path, (only, *others) in self._by_variable().items():
            single = only.how in (How.EXACTLY, How.ONE_OF) and len(only.values) == 1 and ".." not in only.values[0]
            if single and not others and path in self.fact:  # a view of an input has no value of its own
                with suppress(QueryError):  # its chip shows the problem
                    bits = typed(self.interface.variable(path), only.values[0])
                    if bits != self.fact[path] or path in self.keyframe.assumed:
                        values[path] = bits
        return values

    @property
    def at_the_moment(self) -> tuple[Supposition, ...]:
        """What is supposed of the moment itself, as far as it can be read yet."""
        found: list[Supposition] = []
        said = {each.path for each in self.supposed}
        for each in self.supposed:
            with suppress(QueryError):  # its chip shows the problem
                if each.span.begins_at(self.keyframe):
                    plain = (one.supposed if isinstance(one, During) else one for one in made(each, self.interface))
                    found += (one for one in plain if not (isinstance(one, Keep) and one.path in said))
        return tuple(dict.fromkeys(found))

    def extent(self, path: str) -> tuple[int, int] | None:
        """Bits of both ends of a variable's supposed range; None if its suppositions are no range."""
        variable = self.interface.variable(path)
        known = self._by_variable().get(path, [])
        if not known or any(each.how not in (How.BETWEEN, How.ANYTHING) for each in known):
            return None
        try:
            ranges = [ends(each, variable) for each in known if each.how is How.BETWEEN]
        except QueryError:
            return None
        if isinstance(variable.domain, Range):
            ranges.append((variable.domain.low, variable.domain.high))
        if not ranges:
            return None
        low = reduce(lambda a, b: b if at_most(variable, a, b) else a, (low for low, _ in ranges))
        high = reduce(lambda a, b: a if at_most(variable, a, b) else b, (high for _, high in ranges))
        return (low, high) if at_most(variable, low, high) else None

    def _by_variable(self) -> dict[str, list[SuppositionDraft]]:
        """The suppositions on each variable at the moment, with the formulas that mention it."""
        found: dict[str, list[SuppositionDraft]] = {}
        for each in self.supposed:
            if not each.span.begins_at(self.keyframe):
                continue
            for path in dict.fromkeys(self._paths(each)):
                found.setdefault(path, []).append(each)
        return found

    @property
    def steps(self) -> Steps:
        """The steps that the question is about; those that cannot be read yet are one."""
        with suppress(QueryError):  # the form shows what is wrong with the behavior
            return self._behavior().steps or typed_steps(self.over, self.count, self.usual) or ONE
        return ONE

    @property
    def has_typed_steps(self) -> bool:
        """Whether the behavior's own text says its steps."""
        with suppress(QueryError):  # the form shows what is wrong with the behavior
            return self._behavior().steps is not None
        return False

    def _behavior(self) -> Query:
        """The behavior as a question about nothing else; a wrong one is a QueryError."""
        text = f"{self.kind.value} {self.behavior}"
        if self._parsed[0] != text or self._parsed[1] is None:
            self._parsed = text, parse(text, self.interface)
        assert self._parsed[1] is not None
        return self._parsed[1]

    def read(self) -> DraftReading:
        """The question as query text and in words, and the problems that keep it from being asked."""
        composed = self.state, self.derived  # all panels read it after each change: it is read once
        if self._last is None or self._last[0] is not self.keyframe or self._last[1] != composed:
            self._last = self.keyframe, composed, self._reading()
        return self._last[2]

    def _reading(self) -> DraftReading:
        chips = tuple(self._chip(each) for each in self.supposed)
        supposed = self.kind is not QueryKind.DID
        try:
            asked = self._behavior()
        except QueryError as error:
            return DraftReading(chips, behavior=error)
        if supposed and any(chip.problem for chip in chips):
            return DraftReading(chips)
        if supposed and not chips:
            nothing = QueryError("nothing differs yet", "Say what may differ: move a car, or choose a variable.")
            return DraftReading(chips, problem=nothing)
        try:
            query = self._checked(self._meant(asked))
            text = to_text(query)
            if parse(text, self.interface) != query:
                raise InternalError(f"the question is not what it is printed as: {text}")
        except (QueryError, KeyframeError) as error:
            return DraftReading(chips, problem=error)
        said = sentence(query, self.interface, log=self.keyframe.trace)
        return DraftReading(chips, query, text, said, caution=_caution(query, self.interface))

    @property
    def meant(self) -> Query:
        """The whole question as it is composed, even if it cannot be asked here; QueryError if it cannot be read."""
        return self._meant(self._behavior())

    @property
    def family(self) -> Query:
        """The same as a `would`, whatever its kind; QueryError says what is missing."""
        trial = QuestionDraft(self.keyframe, steps=self.usual)
        trial.become(replace(self.state, kind=QueryKind.WOULD))
        if not trial.supposed:
            raise QueryError("nothing differs yet", "Say what may differ: move a car, or choose a variable.")
        return trial.meant

    def _meant(self, asked: Query) -> Query:
        """The whole question, with its steps and its world."""
        suppositions = self._suppositions() if self.kind is not QueryKind.DID else ()
        steps = asked.steps or typed_steps(self.over, self.count, self.usual)
        return replace(asked, suppositions=suppositions, steps=steps).going(self.future)

    def _checked(self, query: Query) -> Query:
        """The same question, if it can be asked here."""
        query = query.checked(self.interface, self.keyframe.trace).query
        if (
            query.period.count > 1
            and query.future is Future.AS_LOGGED
            and (why := unlogged(self.keyframe, query.period.count))
        ):
            others = "" if self.kind is QueryKind.DID else ", or let the world be held or anything"
            raise KeyframeError(why, f"Ask about fewer steps or an earlier moment{others}.")
        if query.period.count <= _CHECKED:
            query.course(self.keyframe)
        return query

    def _suppositions(self) -> tuple[Supposition, ...]:
        """All suppositions; a variable that is only compared with keeps its factual value."""
        found = [each for supposed in self.supposed for each in made(supposed, self.interface)]
        said = {supposed.path for supposed in self.supposed}
        return tuple(dict.fromkeys(each for each in found if not (isinstance(each, Keep) and each.path in said)))

    def _chip(self, supposed: SuppositionDraft) -> Chip:
        variable = self.interface.variable(supposed.path) if supposed.path else None
        return Chip(
            id=supposed.id,
            subject=called(variable.path, self.interface) if variable is not None else "it holds that",
            words=phrase(supposed, self.interface),
            was=self._was(variable, supposed.span) if variable is not None else "",
            together=self._together(supposed),
            caution=caution(supposed, self.interface),
            problem=self._problem(supposed),
        )

    def _was(self, variable: Variable, span: StepSpan) -> str:
        """Its factual value; of later steps the one at the first of them, as far as it is logged."""
        if span.begins_at(self.keyframe):
            return self.was(variable)
        trace = self.keyframe.trace
        first = span.first_in(trace)
        step = trace.step(first) if trace is not None and first is not None else None
        if step is None:
            return ""
        unknown = variable.path in step.unlogged and not is_constant(variable)
        return f"{'not logged' if unknown else shown(variable, step.inputs[variable.path])} at step {step.time}"

    def _problem(self, supposed: SuppositionDraft) -> QueryError | None:
        try:
            suppositions = made(supposed, self.interface)
            for each in suppositions:
                check_supposition(self.interface, each)
            freed(self.interface, suppositions)
        except QueryError as error:
            return error
        return None

    def _together(self, supposed: SuppositionDraft) -> str:
        """A remark if another supposition is on the same variable: both must hold."""
        others = Counter(
            path
            for each in self.supposed
            if each.id != supposed.id and each.span == supposed.span
            for path in set(self._paths(each))
        )
        shared = [path for path in self._paths(supposed) if others[path]]
        return "and the other supposition on it holds as well" if shared else ""

    def _paths(self, supposed: SuppositionDraft) -> Sequence[str]:
        """The variables that it frees."""
        if supposed.path:
            return (supposed.path,)
        try:
            suppositions = made(supposed, self.interface)
            return [variable.path for each in suppositions for variable in mentioned(self.interface, each)]
        except QueryError:
            return ()


def _caution(query: Query, interface: Interface) -> str:
    """A warning for a `did` with fact(), which compares the fact with itself; or how the question is read."""
    if query.kind is QueryKind.DID and query.behavior.facts:
        return "This compares what happened with itself. Ask “would” or “might”: then a scenario is compared with it."
    return "; ".join(remarks(query, interface))
