"""The symbolic states that answering a question visits, and the transitions between them (the paper's section 4.2).

A symbolic state is a condition on the inputs at the keyframe, with decisions and state as terms over those inputs. The
first is the state before the call of the program; each path leads to one after the call, or after each step of the
question. The fact is visited like any other state: exploration assumes only the suppositions, and only the later
queries to the solvers exclude the fact. A factual question visits concrete states, unless the log is rounded.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import TypeAlias, final

from msgspec import Struct
from msgspec.structs import replace

from soid.case.inside_visit import Emptiness, InsideVisit, look_inside
from soid.case.project import Project
from soid.case.state_emptiness import StateEmptiness
from soid.engine.summary import (
    Approximation,
    Decided,
    Enclosure,
    Ending,
    ModelNumber,
    OutputValue,
    Path,
    PathSummary,
    Unexplored,
)
from soid.formula import build
from soid.formula.cell_function import CellFunction, Rise
from soid.formula.intervals import Values
from soid.formula.passes import substitute
from soid.formula.smtlib.script_writer import text
from soid.formula.term import Term
from soid.oracle.answer import Answer, Verdict
from soid.oracle.encoding import FactualMoment, truth_on, unknown_on
from soid.oracle.inquiry import Inquiry
from soid.oracle.pipeline import explore
from soid.program.interface import Variable
from soid.program.perception import Lapsing, Perceived, PerceivedValue, Produced

#: the perceived values in each step from the second on, or the inputs that have them, and before them what is done in
#: the first step in the place of decisions; empty: the values of the first step, and what is decided
Surroundings: TypeAlias = tuple[tuple[tuple[str, int | str], ...], ...]


@final
@dataclass(frozen=True, slots=True)
class SymbolicState:
    """A set of concrete states that a question visits."""

    number: int  # from 1, through all questions
    question: int  # the question's number, from 1
    after: int  # calls of the program so far
    condition: Term  # over the symbols of all inputs at the keyframe
    concrete: bool = False  # it is a single state
    outputs: Mapping[str, OutputValue] = field(default_factory=dict, compare=False)  # of the last call
    ending: Ending | None = None  # of the path that ends here; None: no path ends here
    occurs: str = ""  # if a path ends here, whether the behavior occurs: `yes`, `no`, `both` or `unknown`
    surroundings: Surroundings = ()

    @property
    def name(self) -> str:
        return f"s{self.number}"


@final
class Visit(Struct, frozen=True):
    """One question, and the states visited to answer it."""

    number: int
    answer: Answer
    states: tuple[SymbolicState, ...]  # the first is before the call; empty if there was no scenario
    transitions: tuple[tuple[int, int], ...]  # between states, by their numbers
    approximations: tuple[Approximation, ...] = ()  # of the symbols in the conditions
    inside: InsideVisit | None = None  # None: it was not looked at


def visit(
    project: Project,
    answer: Answer,
    number: int,
    first: int,
    asking: Inquiry,
    emptiness: StateEmptiness,
    *,
    inside: bool = False,
) -> Visit:
    """The visit of one answered question; its states are numbered from `first` on."""
    if answer.verdict in (Verdict.VACUOUS, Verdict.ERROR) or answer.query.lives is not None:
        return Visit(number, answer, (), ())  # a pair is no state of the program
    query, inputs, steps = answer.query, project.keyframe.inputs, answer.query.period.count
    going_on = query.course(project.keyframe)
    interface, environments = going_on.interface, going_on.environments
    family = going_on.family()
    given, precondition = family.given, family.scenarios[0]
    explored = explore(given, precondition, query.behavior, asking, steps, environments, acts=going_on.acts)
    summary = _apart(explored, number)
    if not project.engine.disjoint:
        summary = _exclusive(summary)
    asking.refine(summary)
    emptiness.learn(summary.approximations)
    empty = partial(emptiness, check=asking.glance)
    facts = FactualMoment(interface, going_on.fact, answer.fact, given, environments, going_on.acts)
    fixed = build.all_of(interface.variable(path).equals(bits) for path, bits in given.items())
    start = SymbolicState(first, number, 0, build.and_(fixed, precondition), len(given) == len(going_on.fact))
    grown = _Growth(start, facts, answer, _changing(inputs, (going_on.acts, *environments)), empty)
    ends = [grown.follow(path) for path in summary.paths]
    looked = None
    if inside:
        observed = query.behavior.observed
        exploration = asking.exploration(
            given, precondition, asking.direct, observed, steps, environments, going_on.acts
        )
        looked = look_inside(project.engine, exploration, summary, number, start.condition, ends)
    return Visit(number, answer, tuple(grown.states), tuple(grown.transitions), summary.approximations, looked)


def _changing(inputs: Mapping[str, int], steps: tuple[Perceived, ...]) -> Surroundings:
    """What is done in the first step, and what is perceived and done in the later ones; empty: as at the keyframe."""
    if all(inputs.get(path) == bits for step in steps for path, bits in step.items()):
        return ()
    return tuple(
        tuple((path, _named(each)) for path, each in sorted(step.items(), key=itemgetter(0))) for step in steps
    )


def _named(value: PerceivedValue) -> int | str:
    """A perceived value as a name; two values that differ in some scenario have different names."""
    if isinstance(value, Lapsing):
        until = f"{text(value.until.true)} from {value.first} on"
        return f"{_named(value.supposed)} until {until}, then {_named(value.otherwise)}"
    if isinstance(value, Produced):
        return f"what the world makes of {value.output}"
    return value.path if isinstance(value, Variable) else value


def _apart(summary: PathSummary, number: int) -> PathSummary:
    """The summary with symbols for approximated results that no other question uses."""
    renamed = {
        one.symbol: build.var(f"{one.symbol.name} of q{number}", one.symbol.sort) for one in summary.approximations
    }
    if not renamed:
        return summary

    def put(term: Term) -> Term:
        return substitute([term], renamed)[0]

    def outputs(given: Mapping[str, OutputValue]) -> dict[str, OutputValue]:
        return {name: value.put(map(put, value.terms)) for name, value in given.items()}

    def path(one: Path) -> Path:
        earlier = tuple(map(outputs, one.earlier))
        return replace(one, condition=put(one.condition), outputs=outputs(one.outputs), earlier=earlier)

    def approximation(one: Approximation) -> Approximation:
        arguments, enclosure = tuple(map(put, one.arguments)), _Renamed(one.enclosure, renamed)
        return Approximation(renamed[one.symbol], one.function, arguments, one.where, enclosure)

    approximations = tuple(map(approximation, summary.approximations))
    return replace(summary, paths=tuple(map(path, summary.paths)), approximations=approximations)


@final
class _Renamed(Struct, frozen=True):
    """An enclosure of a function over renamed symbols."""

    inner: Enclosure
    names: Mapping[Term, Term]

    def facts(self) -> tuple[Term, ...]:
        return tuple(substitute(self.inner.facts(), self.names))

    def over(self, arguments: tuple[Values, ...], /) -> Values:
        return self.inner.over(arguments)

    def value(self, arguments: tuple[int, ...], /) -> int:
        return self.inner.value(arguments)

    @property
    def bulk(self) -> CellFunction | None:
        return self.inner.bulk

    @property
    def rise(self) -> Rise | None:
        return self.inner.rise

    @property
    def number(self) -> ModelNumber | None:
        return self.inner.number

    def closer(self, arguments: tuple[int, ...], /) -> _Renamed:
        return _Renamed(self.inner.closer(arguments), self.names)


def _exclusive(summary: PathSummary) -> PathSummary:
    """Make paths disjoint: paths from another tool may overlap where they agree, and each state keeps the first."""
    paths: list[Path] = []
    for path in summary.paths:
        others = build.not_(build.any_of(before.condition for before in summary.paths[: len(paths)]))
        paths.append(replace(path, condition=build.and_(path.condition, others)))
    return replace(summary, paths=tuple(paths))


@final
class _Growth:
    """The states of one question, built path by path; paths share the states of the steps before they diverge."""

    def __init__(
        self, start: SymbolicState, facts: FactualMoment, answer: Answer, surroundings: Surroundings, empty: Emptiness
    ) -> None:
        self.states = [start]
        self.transitions: list[tuple[int, int]] = []
        self._facts = facts
        self._query = answer.query
        self._surroundings = surroundings
        self._empty = empty
        self._shared: dict[tuple[object, ...], int] = {}  # index of a state, by the outputs of all steps up to it

    def follow(self, path: Path) -> int:
        """Add the states of a path; gives the number of the last one."""
        place = 0
        for step, outputs in enumerate(path.earlier, start=1):
            key = tuple(_shape(given) for given in path.earlier[:step])
            if key in self._shared:
                place = self._shared[key]
                either = build.or_(self.states[place].condition, self._condition(path))
                self.states[place] = dataclasses.replace(self.states[place], condition=either)
            else:
                place = self._shared[key] = self._add(place, self._state(step, path, outputs))
        state = self._state(len(path.earlier) + 1, path, path.outputs)
        ended = self._add(place, dataclasses.replace(state, ending=path.ending, occurs=self._occurs(path)))
        return self.states[ended].number

    def _state(self, after: int, path: Path, outputs: Mapping[str, OutputValue]) -> SymbolicState:
        start = self.states[0]
        return SymbolicState(
            start.number + len(self.states),
            start.question,
            after,
            self._condition(path),
            start.concrete,
            outputs,
            surroundings=self._surroundings[:after] if any(self._surroundings[:after]) else (),
        )

    def _condition(self, path: Path) -> Term:
        return build.and_(self.states[0].condition, path.condition)

    def _add(self, before: int, state: SymbolicState) -> int:
        self.transitions.append((self.states[before].number, state.number))
        self.states.append(state)
        return len(self.states) - 1

    def _occurs(self, path: Path) -> str:
        """Whether the behavior occurs on a path: `yes` everywhere, `no` nowhere, `both`, or `unknown`."""
        if isinstance(path.ending, Unexplored):
            return "unknown"
        truth = truth_on(path, self._query.behavior, self._facts, self._query.period)
        occurs, unknown = truth.true, unknown_on(path, self._query.behavior, self._query.period)
        open_ = build.and_(unknown, build.not_(occurs), build.not_(truth.false))
        if open_ is not build.FALSE and not self._empty([self._condition(path), open_]):
            return "unknown"
        if not isinstance(path.ending, Decided) and occurs is build.FALSE:
            return "no"
        condition = self._condition(path)
        never, always = (self._empty([condition, side]) for side in (occurs, build.not_(occurs)))
        if never is None or always is None:
            return "unknown"
        return "both" if not (never or always) else "no" if never else "yes"


def _shape(outputs: Mapping[str, OutputValue]) -> tuple[object, ...]:
    return tuple((name, *value.terms) for name, value in sorted(outputs.items()))
