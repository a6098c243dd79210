"""Actual causes of what happened, after Halpern and Pearl's modified definition (2015).

Variables X, with the values that they had, are a cause of what happened if
    AC1   X had these values, and it happened;
    AC2   with other values of X, and some other variables W held at the values that they had, it does not happen;
    AC3   no part of X alone is such a set.

The variables are those that a question lets differ. What is perceived in the first step depends on nothing. What a
world gives later and what a program decides follow from it, unless something intervenes (`contingencies.py`):
W is taken from these, as far as they are named. "It does not happen" is what refutes a `would`: the program decides
otherwise, fails or does not decide.

    fact  lightning, match      happened  lightning or match      causes  {lightning, match}
    fact  lightning, match      happened  lightning and match     causes  {lightning}, {match}

Sizes are looked at one after the other, each with every choice of W: a set is minimal if no smaller size left anything
open. The degree of responsibility of a variable is 1/(k + 1), with k the number of the other variables in the smallest
cause that it is part of: so many facts must change before it alone matters. Holding W changes no fact, so it does not
count. The degree of an agent, to whom several variables belong, counts the variables of others in such a cause.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.assumptions import Assumption
from soid.budget import rounded
from soid.documents import Document
from soid.errors import REPORT_QUESTION, InternalError, QueryError
from soid.explanation.change_sets import ChangeSets
from soid.explanation.contingencies import Contingency, Following, check_held
from soid.explanation.held_facts import HeldFact
from soid.explanation.or_as_in_fact import check_fact, or_as_in_fact
from soid.explanation.refusal import refusal
from soid.explanation.study import IN_WORDS, OCCURS, UNEXPLORED, Explored, StudiedScenario, Study
from soid.formula.term import Term
from soid.oracle.inquiry import Context, Inquiry
from soid.oracle.pipeline import answer
from soid.program.interface import Variable
from soid.query.language.query_printer import to_text
from soid.query.query import CheckedQuery, Query, QueryKind
from soid.scenario.future import usual_future
from soid.scenario.trace import Keyframe
from soid.shown import Shown
from soid.surface import Advice
from soid.witness.settlement import settle
from soid.witness.witness import ChangeDocument, WitnessDocument

#: how many variables a cause has at most, and how many causes are listed, if nothing else is said
SIZE: Final = 6
LISTED: Final = 24


@final
class ActualCauseDocument(Struct, frozen=True):
    """A cause as JSON."""

    variables: tuple[str, ...]
    held: tuple[str, ...]
    minimal: bool
    but_for: bool
    happens: str
    changed: list[ChangeDocument]
    scenario: WitnessDocument


@final
class ActualCause(Struct, frozen=True):
    """Variables that are a cause together, with what was held, and a scenario in which it does not happen."""

    variables: tuple[Variable, ...]
    held: tuple[HeldFact, ...]  # as few as possible
    minimal: bool  # proved; False: it is open whether a part of it is a cause
    scenario: StudiedScenario

    @property
    def but_for(self) -> bool:
        """Whether it would not have happened but for this one fact, nothing held."""
        return len(self.variables) == 1 and not self.held

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(variable.path for variable in self.variables)

    @property
    def document(self) -> ActualCauseDocument:
        witness = self.scenario.witness
        changed = [change.document for change in witness.changed if change.variable.path in self.paths]
        held, happens = tuple(map(str, self.held)), IN_WORDS[self.scenario.happens]
        return ActualCauseDocument(self.paths, held, self.minimal, self.but_for, happens, changed, witness.document)


@final
class CausesDocument(Document, frozen=True):
    """The causes of what happened, as JSON."""

    question: str
    step: int
    happened: bool | None
    causes: list[ActualCauseDocument]
    responsibility: dict[str, float | None]
    agents: dict[str, tuple[str, ...]]
    shares: dict[str, float | None]
    size: int
    complete: bool
    more: bool
    held: tuple[str, ...]
    unsettled: tuple[str, ...]
    relies_on: tuple[Assumption, ...]
    seconds: dict[str, float]


@final
class ActualCauses(Shown, Struct, frozen=True):
    """The causes of what happened, the smallest first."""

    question: str  # the `would` whose counterexamples they are
    step: int
    happened: bool | None  # AC1; None: not settled
    causes: tuple[ActualCause, ...] = ()
    variables: tuple[str, ...] = ()  # all that were looked at
    agents: Mapping[str, tuple[str, ...]] = {}  # which of these belong to each agent
    size: int = SIZE  # no larger sets were looked for
    complete: bool = False  # proved: there are no other causes, of any size
    more: bool = False  # not all were listed
    held: tuple[HeldFact, ...] = ()  # what might be held
    unsettled: tuple[str, ...] = ()
    relies_on: tuple[Assumption, ...] = ()
    seconds: Mapping[str, float] = {}
    keyframe: Keyframe | None = None  # the moment that they are about

    def __repr__(self) -> str:
        found = " or ".join(" and ".join(each.paths) for each in self.causes) or "none"
        return f"ActualCauses({found} in {self.question!r} at step {self.step})"

    @property
    def responsibility(self) -> dict[str, float | None]:
        """By variable: 1 / the size of the smallest cause it is part of; 0 if of none; None if that is open."""
        found = {each.paths: each.minimal for each in self.causes}
        return degrees(self.variables, found, complete=self.complete)

    @property
    def shares(self) -> dict[str, float | None]:
        """The degree of responsibility of each agent."""
        return shares(self.agents, {each.paths: each.minimal for each in self.causes}, complete=self.complete)

    @property
    def document(self) -> CausesDocument:
        return CausesDocument.of(self)


def degrees(
    variables: Sequence[str], causes: Mapping[tuple[str, ...], bool], *, complete: bool
) -> dict[str, float | None]:
    """The degree of responsibility of each variable; `causes` says of each whether it is proved minimal.

    >>> degrees(["a", "b", "c"], {("a", "b"): True}, complete=True)
    {'a': 0.5, 'b': 0.5, 'c': 0.0}
    """
    found: dict[str, float | None] = {}
    for path in variables:
        own = [paths for paths in causes if path in paths]
        smallest = min(own, key=len, default=())
        found[path] = (0.0 if complete else None) if not own else (1 / len(smallest) if causes[smallest] else None)
    return found


def shares(
    agents: Mapping[str, tuple[str, ...]], causes: Mapping[tuple[str, ...], bool], *, complete: bool
) -> dict[str, float | None]:
    """The degree of responsibility of each agent: 1 / (1 + the fewest variables of others in a cause it has part in).

    It is known if all causes are, or if it needs no others.

    >>> shares({"A": ("a", "b"), "B": ("c",)}, {("a", "b"): True, ("a", "c"): True}, complete=True)
    {'A': 1.0, 'B': 0.5}
    """
    found: dict[str, float | None] = {}
    for agent, own in agents.items():
        others = [len(set(paths) - set(own)) for paths, minimal in causes.items() if minimal and set(paths) & set(own)]
        fewest = min(others, default=None)
        known = complete or fewest == 0
        found[agent] = None if not known else 0.0 if fewest is None else 1 / (1 + fewest)
    return found


def agents_among(variables: Sequence[str], declared: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Which variables belong to each agent: those that were named, and what begins with such a name.

    >>> agents_among(["cars[0].x", "cars[1].x"], {"A": ["cars[0]"]})
    {'A': ('cars[0].x',)}
    """
    found: dict[str, tuple[str, ...]] = {}
    for agent, names in declared.items():
        own = tuple(path for path in variables if any(_belongs(path, name) for name in names))
        if not own:
            raise QueryError(
                f"nothing that may differ belongs to {agent}", f"These may differ: {', '.join(variables)}."
            )
        found[agent] = own
    return found


def _belongs(path: str, name: str) -> bool:
    return path == name or path.startswith((f"{name}.", f"{name}[", f"{name}@"))


_OVER: Final = Advice(
    command="Name them: --over 'x is anything'.",
    python='Name them: project.causes("did move", "x is anything").',
    page="Name them.",
)


def causes(
    checked: CheckedQuery,
    keyframe: Keyframe,
    context: Context,
    *,
    hold: Sequence[tuple[str, int]] = (),
    size: int = SIZE,
    most: int = LISTED,
    agents: Mapping[str, Sequence[str]] | None = None,
) -> ActualCauses:
    """The causes of a behavior among what a `would` lets differ; `hold` has variables and steps.

    `agents` says by name which variables belong to an agent.
    """
    found = _found(checked, keyframe, context, hold, size, most, agents or {})
    log = keyframe.trace and keyframe.trace.part(keyframe.step, keyframe.step)
    return replace(found, keyframe=dataclasses.replace(keyframe, trace=log, follow=None))


def _found(
    checked: CheckedQuery,
    keyframe: Keyframe,
    context: Context,
    hold: Sequence[tuple[str, int]],
    size: int,
    most: int,
    agents: Mapping[str, Sequence[str]],
) -> ActualCauses:
    query = checked.query
    if query.kind is not QueryKind.WOULD or not query.suppositions:
        raise QueryError("causes are looked for among facts that might differ", _OVER)
    if (why := refusal(query, keyframe)) is not None:
        raise why
    query = query.going(usual_future(keyframe.interface))
    allowing = replace(checked, query=or_as_in_fact(query, keyframe))
    given, asked, asking = answer(allowing, keyframe, context), to_text(query), Inquiry(context)
    if not given.verdict.is_definite:
        found = ActualCauses(asked, given.step, None, unsettled=(given.reason,), relies_on=given.relies_on)
        return replace(found, size=size)
    study = Study.of(keyframe, replace(given, witness=None), asking)
    _refuse(study)
    following = Following.of(study.query, keyframe)
    with asking.stage("fact"):
        fact = _under(following.plain, study).factual
        held = following.held(hold, keyframe, fact.witness, fact.environments)
    told = ActualCauses(asked, given.step, True, size=size, held=(*held, *following.facts), relies_on=given.relies_on)
    variables = tuple(variable.path for variable in study.family.varying)
    told = replace(told, variables=variables, agents=agents_among(variables, agents))
    if fact.happens != OCCURS:
        open_ = fact.happens == UNEXPLORED
        return replace(told, happened=None if open_ else False, unsettled=(str(fact.left_open),) if open_ else ())
    with asking.stage("smallest"):
        choices = following.contingencies(held, keyframe.interface)
        contingencies = [_Explored.of(each, following, study) for each in choices]
        search = _CauseSearch(contingencies, study.family.varying, size, most)
        search.run()
    told = replace(told, causes=search.smallest, complete=search.complete, more=search.more)
    relies_on = dict.fromkeys((*told.relies_on, *(one for each in search.contingencies for one in each.relies_on)))
    unsettled, seconds = tuple(dict.fromkeys(search.unsettled)), rounded(asking.seconds)
    return replace(told, unsettled=unsettled, relies_on=tuple(relies_on), seconds=seconds)


def _refuse(study: Study) -> None:
    if study.unknown:
        names = ", ".join(map(study.called, study.unknown))
        raise QueryError(f"what was in fact is not known of {names}", "Causes are told against the fact: log it.")
    check_fact(study.course)
    if changing := [v for v in study.family.varying if not study.family.was_one_value(v)]:
        base = changing[0].path.partition("@")[0]
        raise QueryError(
            f"{study.called(changing[0])} had several values", f"Name one step: `{base} is anything at step N`."
        )


def _under(query: Query, base: Study) -> Study:
    return Study.of(base.keyframe, replace(base.answer, query=query), base.asking)


@final
class _Explored(Struct):
    """The scenarios of a contingency."""

    contingency: Contingency
    study: Study
    explored: Explored
    sets: ChangeSets
    goal: tuple[Term, ...]

    @property
    def relies_on(self) -> tuple[Assumption, ...]:
        return self.explored.summary.relies_on

    @classmethod
    def of(cls, contingency: Contingency, following: Following, base: Study) -> _Explored:
        study = _under(following.under(contingency, base.keyframe.interface), base)
        check_held(contingency.held, study.course)
        family = study.family
        precondition, puncture = family.scenarios
        explored = study.explored(family.given, precondition)
        encoding, wanted = explored.encoding, explored.not_occurring
        known = [precondition, puncture], wanted, encoding.unexplored, family.varying, study.fact, explored.check
        sets = ChangeSets(*known, left_open=encoding.left_open)
        return cls(contingency, study, explored, sets, (precondition, puncture, wanted))

    def exclude(self, variables: Sequence[Variable]) -> None:
        """Look for no cause that contains all of these; where some follow from others, none does."""
        if all(each in self.sets.variables for each in variables):
            self.sets.exclude(variables)

    def scenario(self, variables: Sequence[Variable], model: Mapping[Term, Any]) -> StudiedScenario:
        """The scenario nearest to the fact in which only some variables change, run on the program."""
        study, family = self.study, self.study.family
        pins = [v.equals(study.fact[v.path]) for v in family.varying if v not in variables]
        deadline = study.asking.witness_deadline()
        settled = settle([*self.goal, *pins], variables, study.fact, model, self.explored.check, deadline)
        state = {**study.fact, **family.given, **settled.state}
        found = study.scenario(state, settled=settled.complete)
        if found.happens == OCCURS or not family.contains(state):
            raise InternalError(f"the scenario of a cause does not replay: {state}", REPORT_QUESTION)
        return found


@final
class _CauseSearch(Struct):
    """The search for causes, size by size."""

    contingencies: list[_Explored]
    variables: Sequence[Variable]  # all that may be part of a cause
    size: int
    most: int
    found: list[ActualCause] = []
    unsettled: list[str] = []
    more: bool = False
    complete: bool = False

    def run(self) -> None:
        for size in range(1, min(self.size, len(self.variables)) + 1):
            minimal = not self.unsettled
            for each in self.contingencies:
                self._level(size, each, minimal=minimal)
        if not self.more:
            left = [self._ask(each, None) for each in self.contingencies]
            self.more = any(model is not None for model in left)
        self.complete = not (self.more or self.unsettled)

    def _level(self, size: int, contingency: _Explored, *, minimal: bool) -> None:
        """All causes of a size with what is held; if they are many, at least one of each variable."""
        for variable in contingency.sets.variables:
            if not any(variable in each.variables for each in self.found):
                self._take(contingency, self._ask(contingency, size, variable), minimal)
        while len(self.found) < self.most:
            if not self._take(contingency, self._ask(contingency, size), minimal):
                return
        self.more = self.more or self._ask(contingency, size) is not None

    def _ask(
        self, contingency: _Explored, size: int | None, among: Variable | None = None
    ) -> Mapping[Term, Any] | None:
        model, sure = contingency.sets.at_most(size, among)
        if model is None and not sure:
            self.unsettled.append(f"{_at_most(size)}: {contingency.sets.why}")
        return model

    def _take(self, contingency: _Explored, model: Mapping[Term, Any] | None, minimal: bool) -> bool:
        if model is None:
            return False
        variables = tuple(contingency.sets.changed(model))
        if not variables:
            raise InternalError("what happened does not happen with nothing changed", REPORT_QUESTION)
        scenario = contingency.scenario(variables, model)
        for each in self.contingencies:
            each.exclude(variables)
        if scenario.happens == UNEXPLORED:
            self.unsettled.append(f"what happens in a scenario: {scenario.left_open}")
        else:
            held = contingency.contingency.as_it_was([each.path for each in variables])
            self.found.append(ActualCause(variables, held, minimal, scenario))
        return True

    @property
    def smallest(self) -> tuple[ActualCause, ...]:
        """Without those that contain another, which only an unsettled size lets in; in the interface's order."""
        sets = [{*each.paths} for each in self.found]
        kept = [each for each in self.found if not any(other < {*each.paths} for other in sets)]
        order = {v.path: place for place, v in enumerate(self.variables)}
        return tuple(sorted(kept, key=lambda each: (len(each.paths), [order[path] for path in each.paths])))


def _at_most(size: int | None) -> str:
    return "whether there are other causes" if size is None else f"whether there is a cause of at most {size}"
