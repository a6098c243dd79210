"""The question that is being put together: what may differ, did, would or might, and the behavior asked about.

It knows nothing of pages. What is read off it is always the question as the language parses and prints it.

>>> from soid.case.project import Case
>>> from soid.examples import folder
>>> case = Case.open(folder("microwave"))
>>> draft = Draft(case.keyframe)
>>> draft.kind, draft.behavior = QueryKind.MIGHT, "action == CANCEL"
>>> heat = draft.suppose("heat", How.ANYTHING)
>>> read = draft.read()
>>> read.text, read.chips[0].words, read.chips[0].was
('might action == CANCEL if heat is anything', 'is anything: false, true', 'true')
>>> read.sentence
'Might it ever decide action == CANCEL, whatever the heater had been?'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import reduce
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.errors import InternalError, QueryError
from soid.program.domain import Range
from soid.program.interface import Interface, Variable
from soid.program.types import BoolType, EnumType, show
from soid.query.language.query_parser import parse
from soid.query.language.query_printer import to_text
from soid.query.query import Query, QueryKind, check_supposition
from soid.query.steps import Steps
from soid.query.words import sentence
from soid.scenario.expression_text import expression_text, path_text
from soid.scenario.supposition import Keep, Supposition, freed, mentioned
from soid.scenario.trace import Keyframe
from soid.web.page.amounts import called, shown, typed
from soid.web.page.supposing import How, Supposed, at_most, caution, ends, label_node, made, phrase


@final
class Problem(Struct, frozen=True):
    """Why the question cannot be asked yet."""

    cause: str
    remedy: str


@final
class Chip(Struct, frozen=True):
    """A supposition in words."""

    id: int
    path: str  # of its variable; empty for a formula
    subject: str  # what is supposed to differ
    words: str  # how
    was: str  # its factual value; empty for a formula
    together: str  # that another supposition is on the same variable, and what the two mean
    caution: str  # what to know before asking
    problem: Problem | None = None  # why it cannot be asked


@final
class Choice(Struct, frozen=True):
    """A behavior that can be picked."""

    text: str  # as query text
    words: str


@final
class Reading(Struct, frozen=True):
    """The draft as a question, as far as it is one."""

    query: Query | None  # None: it cannot be asked
    text: str  # as query text, in its normal form; empty where it cannot be asked
    sentence: str  # as a person would ask it
    chips: tuple[Chip, ...]
    behavior: Problem | None = None  # what is wrong with the behavior
    problem: Problem | None = None  # what is wrong with the whole
    caution: str = ""  # what to know before asking


@final
class Draft:
    """A question under way, about one moment."""

    def __init__(self, keyframe: Keyframe, *, steps: Steps | None = None) -> None:
        """`steps` is what a question is about that does not say: one step, unless the program's manifest has more."""
        self.keyframe = keyframe
        self.steps = steps
        self.kind = QueryKind.DID
        self.behavior = _first_asked(keyframe)
        self.supposed: tuple[Supposed, ...] = ()
        self._given = 0  # ids

    @property
    def interface(self) -> Interface:
        return self.keyframe.interface

    @property
    def fact(self) -> Mapping[str, int]:
        """Bits of every input at the moment asked about."""
        return self.keyframe.inputs

    # --- putting together

    def suppose(self, path: str, how: How, *values: str) -> Supposed:
        """Another supposition; all hold together. With the first, what is asked is no longer what happened."""
        if self.kind is QueryKind.DID and not self.supposed:
            self.kind = QueryKind.WOULD
        self._given += 1
        new = Supposed(self._given, how, self.interface.variable(path).path if path else "", values)
        self.supposed += (new,)
        return new

    def edit(self, id_: int, how: How, *values: str) -> None:
        """Say it otherwise; nothing happens where it was removed meanwhile."""
        self.supposed = tuple(
            replace(each, how=how, values=values) if each.id == id_ else each for each in self.supposed
        )

    def remove(self, id_: int) -> None:
        self.supposed = tuple(each for each in self.supposed if each.id != id_)

    def clear(self) -> None:
        self.supposed = ()

    def on(self, path: str) -> tuple[Supposed, ...]:
        """The suppositions on a variable."""
        return tuple(each for each in self.supposed if each.path == path)

    def put(self, path: str, how: How, *values: str) -> Supposed:
        """What is dragged or ticked replaces what was dragged or ticked before: the one supposition on a variable."""
        known = self.on(path)
        if len(known) == 1:
            self.edit(known[0].id, how, *values)
            return self.on(path)[0]
        for each in known:
            self.remove(each.id)
        return self.suppose(path, how, *values)

    def take(self, values: Mapping[str, int]) -> None:
        """Suppose exactly what a scenario differs in, and nothing else: the next question starts from there."""
        self.clear()
        for variable in self.interface.inputs:
            bits = values[variable.path]
            if bits != self.fact[variable.path]:
                many = isinstance(variable.type, EnumType)
                self.suppose(variable.path, How.ONE_OF if many else How.EXACTLY, show(variable.type, bits))

    # --- reading off

    @property
    def point(self) -> dict[str, int]:
        """Bits of every input, with each value that alone is supposed of a variable in the place of the factual one."""
        values = dict(self.fact)
        for path, (only, *others) in self._by_variable().items():
            single = only.how in (How.EXACTLY, How.ONE_OF) and len(only.values) == 1 and ".." not in only.values[0]
            if single and not others:
                with suppress(QueryError):  # what cannot be read is told on its chip
                    values[path] = typed(self.interface.variable(path), only.values[0])
        return values

    def extent(self, path: str) -> tuple[int, int] | None:
        """Bits of the least and the greatest value that ranges leave to a variable; None where more is said of it."""
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

    def _by_variable(self) -> dict[str, list[Supposed]]:
        """All that is said of each variable, formulas that mention it among them."""
        found: dict[str, list[Supposed]] = {}
        for each in self.supposed:
            for path in dict.fromkeys(self._paths(each)):
                found.setdefault(path, []).append(each)
        return found

    def read(self) -> Reading:
        """The question, in the language and in words, and whatever keeps it from being asked."""
        chips = tuple(self._chip(each) for each in self.supposed)
        supposed = self.kind is not QueryKind.DID
        try:
            asked = parse(f"{QueryKind.DID.value} {self.behavior}", self.interface)
        except QueryError as error:
            return Reading(None, "", "", chips, behavior=_problem(error))
        if supposed and any(chip.problem for chip in chips):
            return Reading(None, "", "", chips)
        if supposed and not chips:
            nothing = Problem("nothing differs yet", "Say what may differ: move a car, or choose a variable.")
            return Reading(None, "", "", chips, problem=nothing)
        try:
            suppositions = self._suppositions() if supposed else ()
            query = replace(asked, kind=self.kind, suppositions=suppositions, steps=asked.steps or self.steps)
            query.check(self.interface)
            text = to_text(query)
            if parse(text, self.interface) != query:
                raise InternalError(f"the question is not what it is printed as: {text}")
        except QueryError as error:
            return Reading(None, "", "", chips, problem=_problem(error))
        said = sentence(query, self.interface, paths=False)
        return Reading(query, text, said, chips, caution=_caution(query))

    def _suppositions(self) -> tuple[Supposition, ...]:
        """All of them; a variable that another is compared with is kept, unless something else is said about it."""
        found = [each for supposed in self.supposed for each in made(supposed, self.interface)]
        said = {supposed.path for supposed in self.supposed}
        unique: dict[Supposition, None] = {}
        for each in found:
            if not (isinstance(each, Keep) and each.path in said):
                unique[each] = None
        return tuple(unique)

    def _chip(self, supposed: Supposed) -> Chip:
        variable = self.interface.variable(supposed.path) if supposed.path else None
        return Chip(
            id=supposed.id,
            path=supposed.path,
            subject=called(variable) if variable is not None else "it holds that",
            words=phrase(supposed, self.interface),
            was=shown(variable, self.fact[variable.path]) if variable is not None else "",
            together=self._together(supposed),
            caution=caution(supposed, self.interface),
            problem=self._problem(supposed),
        )

    def _problem(self, supposed: Supposed) -> Problem | None:
        try:
            suppositions = made(supposed, self.interface)
            for each in suppositions:
                check_supposition(self.interface, each)
            freed(self.interface, suppositions)
        except QueryError as error:
            return _problem(error)
        return None

    def _together(self, supposed: Supposed) -> str:
        """Two suppositions on one variable: both hold, which leaves what they have in common."""
        others = Counter(path for each in self.supposed if each.id != supposed.id for path in set(self._paths(each)))
        shared = [path for path in self._paths(supposed) if others[path]]
        return "and the other supposition on it holds as well" if shared else ""

    def _paths(self, supposed: Supposed) -> Sequence[str]:
        """The variables that it lets vary."""
        if supposed.path:
            return (supposed.path,)
        try:
            suppositions = made(supposed, self.interface)
            return [variable.path for each in suppositions for variable in mentioned(self.interface, each)]
        except QueryError:
            return ()


def _problem(error: QueryError) -> Problem:
    return Problem(error.cause, error.remedy)


def _caution(query: Query) -> str:
    """A `did` about the fact compares what happened with itself."""
    if query.kind is QueryKind.DID and query.behavior.facts:
        return "This compares what happened with itself. Ask “would” or “might”: then a scenario is compared with it."
    return ""


def _first_asked(keyframe: Keyframe) -> str:
    """What is asked about before anybody has said: a decision that has names, as the log has it; else any decision.

    A number has no name to ask about, and to ask whether it was more than it was is no question.
    """
    for variable in keyframe.interface.decisions:
        if isinstance(variable.type, BoolType):
            return path_text(variable.path)
        if isinstance(variable.type, EnumType):
            logged = keyframe.decisions.get(variable.path)
            labels = [label for label, bits in variable.type.labels if logged in (None, bits)]
            if labels:
                return f"{path_text(variable.path)} == {expression_text(label_node(labels[0], keyframe.interface))}"
    return "decides"


# --- behaviors that can be picked -----------------------------------------------------------------------------


def behaviors(interface: Interface) -> tuple[Choice, ...]:
    """What the program can be asked about: each value of each decision that has names for them, and how it ends."""
    found = [choice for variable in interface.decisions for choice in _of(variable, interface)]
    return (*found, Choice("decides", "come to a decision"), Choice("fails", "fail"))


def _of(variable: Variable, interface: Interface) -> tuple[Choice, ...]:
    path, said = path_text(variable.path), called(variable)
    if isinstance(variable.type, BoolType):
        return Choice(path, f"{said}: yes"), Choice(f"not {path}", f"{said}: no")
    if isinstance(variable.type, EnumType):
        texts = [(label, expression_text(label_node(label, interface))) for label, _ in variable.type.labels]
        being = [Choice(f"{path} == {text}", f"{said}: {label}") for label, text in texts]
        not_being = [Choice(f"{path} != {text}", f"{said}: not {label}") for label, text in texts]
        return (*being, *not_being)
    than = (("more than in fact", ">"), ("less than in fact", "<"), ("other than in fact", "!="))
    return tuple(Choice(f"{path} {sign} fact({path})", f"{said}: {words}") for words, sign in than)
