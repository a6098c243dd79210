"""The state of an explanation in progress: the program, the fact, a budget, and ways to examine states."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Final, assert_never, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.protocol import Exploration
from soid.engine.summary import ConcreteRun, LeftOpen, PathSummary
from soid.engine.trail import Trail
from soid.explanation.every_value import EveryValue
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.checker import Checker, Impossible, Open, Possibility, Possible
from soid.formula.term import Term
from soid.oracle.answer import Answer
from soid.oracle.confirmation import Confirmation, confirm, witness_of
from soid.oracle.encoding import (
    FAILS,
    NEITHER,
    NO_VALUE,
    OTHERWISE,
    UNDECIDED,
    Encoding,
    FactualMoment,
    concrete_path,
    encode,
)
from soid.oracle.inquiry import Inquiry
from soid.oracle.pipeline import explore
from soid.program.interface import Interface, Variable
from soid.program.perception import Perceived, resolved, with_acts
from soid.query.query import Query, QueryKind
from soid.query.words import listed
from soid.scenario.course import Course
from soid.scenario.family import Family
from soid.scenario.input_names import called
from soid.scenario.trace import Keyframe
from soid.witness.witness import Shows, Witness

#: outcomes of a scenario, besides the ways in which a behavior does not occur (`oracle.encoding`)
OCCURS: Final = "occurs"
UNEXPLORED: Final = "was left unexplored"
#: in any of the ways in which it does not occur, if not all inputs are known: it may be another one for each value
DOES_NOT: Final = "does not do it"

#: each outcome in words that follow "the program"
IN_WORDS: Final = {
    OCCURS: "does it",
    OTHERWISE: "decides otherwise",
    FAILS: "fails",
    UNDECIDED: "does not decide",
    NEITHER: "never reaches what the behavior speaks of",
    NO_VALUE: "gives no value to what the behavior computes",
    DOES_NOT: DOES_NOT,
    UNEXPLORED: UNEXPLORED,
}


@final
class StudiedScenario(Struct, frozen=True):
    """One state that was run: its outcome for the question, and what the program does there."""

    happens: str  # one of the keys of IN_WORDS
    witness: Witness
    environments: tuple[Perceived, ...] = ()  # what is perceived from the second step on, if it changes
    left_open: LeftOpen | None = None  # why it is not known what happens

    @property
    def state(self) -> Mapping[str, int]:
        return self.witness.inputs


@final
class Explored(Struct, frozen=True):
    """Explored states: where the behavior occurs among them, and a checker that refines their approximations."""

    summary: PathSummary
    encoding: Encoding
    check: Checker

    def where(self, happens: str) -> Term:
        if happens == DOES_NOT:
            return self.not_occurring
        return self.encoding.shows if happens == OCCURS else self.encoding.refutes[happens]

    @property
    def not_occurring(self) -> Term:
        """The states in which the behavior does not occur."""
        return build.any_of(self.encoding.refutes.values())


@final
class Study(Struct, frozen=True):
    """An answer that is being explained."""

    keyframe: Keyframe
    answer: Answer
    asking: Inquiry  # with the explanation's own budget
    course: Course  # what is perceived in the steps; of what is not known its fact has the values of the scenario shown
    family: Family  # the scenarios that the question is about

    @classmethod
    def of(cls, keyframe: Keyframe, answer: Answer, asking: Inquiry) -> Study:
        course = answer.course(keyframe)
        if answer.witness is not None:
            taken = {path: answer.witness.inputs[path] for path in answer.witness.assumed}
            course = dataclasses.replace(course, fact={**course.fact, **taken})
        return cls(keyframe, answer, asking, course, course.family(pinning=asking.mechanisms.pinning))

    @property
    def query(self) -> Query:
        return self.answer.query

    @property
    def interface(self) -> Interface:
        """The program's, with what is supposed of later steps."""
        return self.course.interface

    @property
    def unknown(self) -> tuple[Variable, ...]:
        """The inputs that are not known; no supposition speaks of one."""
        return self.family.undetermined

    @property
    def fact(self) -> Mapping[str, int]:
        """Bits of every input in fact, one of several steps as it was in the first of them."""
        return self.course.fact

    def taken(self, state: Mapping[str, int]) -> dict[str, int]:
        """What a state has for the inputs that are not known."""
        return {variable.path: state[variable.path] for variable in self.unknown}

    def called(self, variable: Variable) -> str:
        """An input and its steps in words."""
        path = variable.path
        return called(path, {path: self.course.told(path, self.keyframe.step)})

    @property
    def out_of_time(self) -> bool:
        return self.asking.deadline.is_over or self.asking.context.cancel.cancelled

    def returning(self, *variables: Variable) -> Study:
        """The same with some inputs as they were in fact, in each of their steps: a state has their factual bits."""
        if all(map(self.family.was_one_value, variables)):
            return self
        return replace(self, course=self.course.returning([variable.path for variable in variables]))

    def family_of(self, query: Query) -> Family:
        """The scenarios of another question about the same moment."""
        course = query.course(self.keyframe)
        known = {path: bits for path, bits in self.fact.items() if path in course.fact}
        return dataclasses.replace(course, fact={**course.fact, **known}).family(pinning=self.family.pinning)

    @property
    def possible(self) -> Term:
        """Which values the inputs that are not known may have had."""
        return self.family.possible

    def for_every_value(self, explored: Explored) -> Checker:
        """A check of conditions that must hold whatever the inputs were that are not known."""
        return self.every_value(explored) if self.unknown else explored.check

    def every_value(self, explored: Explored) -> EveryValue:
        """Asks for all values of what is not known."""
        fact = {variable.symbol: self.fact[variable.path] for variable in self.interface.inputs}
        symbols = frozenset(variable.symbol for variable in self.unknown)
        check: Checker = explored.check
        if explored.summary.approximations:  # their symbols would have one value for several scenarios
            check = _not_compared
        return EveryValue(check, symbols, self.possible, fact)

    def explored(self, given: Mapping[str, int], precondition: Term) -> Explored:
        asking, surroundings = self.asking, (self.course.environments, self.course.acts)
        facts = FactualMoment(self.interface, self.fact, self.answer.fact, given, *surroundings)
        perceived = self.course.perceived
        fixed = {path: bits for path, bits in given.items() if path in perceived}
        steps, (environments, acts) = self.query.period.count, surroundings
        summary = explore(fixed, precondition, self.query.behavior, asking, steps, environments, acts=acts)
        encoding = encode(summary, self.query.behavior, facts, self.query.period)
        return Explored(summary, encoding, asking.checker_for(summary))

    def happens(self, state: Mapping[str, int]) -> str:
        """The outcome in one state, which is interpreted and not run."""
        inputs = {variable.path: state[variable.path] for variable in self.interface.inputs}
        return outcome_in(self.explored(inputs, TRUE).encoding)

    def scenario(self, state: Mapping[str, int], *, settled: bool = True) -> StudiedScenario:
        """Explore one state alone, and run it on the compiled program."""
        inputs = {variable.path: state[variable.path] for variable in self.interface.inputs}
        explored = self.explored(inputs, TRUE)
        run = explored.summary.run({})
        happens = outcome_in(explored.encoding)
        if self.unknown and happens not in (OCCURS, UNEXPLORED):
            happens = DOES_NOT
        confirmation = self._confirmed(run, inputs)
        shows, replayed = Shows.EXAMPLE if happens == OCCURS else Shows.COUNTEREXAMPLE, confirmation.replayed
        fact, assumed = {**self.fact, **self.taken(inputs)}, tuple(variable.path for variable in self.unknown)
        compared = run, shows, self.interface, fact, inputs, replayed
        witness = witness_of(*compared, settled=settled, recorded=self.course.recorded, assumed=assumed)
        witness = replace(witness, changed=self.answer.with_origins(witness.changed, witness))
        left_open = explored.encoding.left_open[0] if happens == UNEXPLORED else None
        return StudiedScenario(happens, witness, self.course.environments, left_open)

    def _confirmed(self, run: ConcreteRun, inputs: Mapping[str, int]) -> Confirmation:
        """The compiled program runs the state, perceiving in each step what the course says."""
        path = concrete_path(run.path.name, run.path.ending, (*run.earlier, run.outputs), self.interface, run.between)
        environments = resolved(self.course.environments, inputs, path.earlier)
        steps = self.query.period.count
        given = run, with_acts(self.course.acts, inputs), self.interface, self.asking
        return confirm(*given, steps=steps, environments=environments, concrete=True)

    def contrary(self, state: Mapping[str, int], happens: str) -> StudiedScenario:
        """A state with values of what is not known for which it has another outcome than this; else as it is."""
        if not self.unknown:
            return self.scenario(state)
        possible, unknown = self.possible, {variable.path for variable in self.unknown}
        explored = self.explored({path: bits for path, bits in state.items() if path not in unknown}, possible)
        answer = explored.check([possible, build.not_(explored.where(happens))])
        match answer:
            case Possible(model):
                found = {v.path: int(model.get(v.symbol, state[v.path])) for v in self.unknown}
                return self.scenario({**state, **found})
            case Impossible():
                return self.scenario(state)
            case Open():
                return replace(self.scenario(state), happens=UNEXPLORED, left_open=why_open(answer))
            case _:
                assert_never(answer)

    @property
    def factual(self) -> StudiedScenario:
        """The fact."""
        return self._as_it_was.scenario(self.fact)

    @property
    def _as_it_was(self) -> Study:
        return self.returning(*map(self.interface.variable, self.family.freed))

    @property
    def settled_fact(self) -> StudiedScenario:
        """The fact. If its outcome depends on what is not known, that counts as unexplored."""
        here = self.factual
        if (
            not self.unknown
            or here.happens == UNEXPLORED
            or self._as_it_was.contrary(self.fact, here.happens).happens == here.happens
        ):
            return here
        names = listed(map(self.called, self.unknown))
        return replace(here, happens=UNEXPLORED, left_open=LeftOpen(f"what happened in fact depends on {names}"))

    def breaks(self, scenario: StudiedScenario) -> bool:
        """Whether a scenario has the outcome that a proof excludes."""
        occurs = scenario.happens == OCCURS
        return scenario.happens != UNEXPLORED and occurs is (self.query.kind is QueryKind.MIGHT)

    def trail(self, scenario: StudiedScenario) -> Trail | None:
        """The branches that one state takes in the source, if there is a source."""
        asking, context = self.asking, self.asking.context
        exploration = Exploration(
            scenario.state,
            TRUE,
            asking.glance,
            asking.deadline,
            context.cancel,
            observed=self.query.behavior.observed,
            window=context.settings.window,
            memory=context.settings.memory,
            steps=self.query.period.count,
            environments=scenario.environments,
        )
        return context.engine.trail(exploration)


def why_open(answer: Possible | Open, kinds: Sequence[LeftOpen] = ()) -> LeftOpen:
    """Why something is not proved: a check did not decide, or there are scenarios of which it is not known."""
    if isinstance(answer, Open):
        return LeftOpen(answer.reason, answer.out_of_time)
    told = "; ".join(dict.fromkeys(map(str, kinds))) or "unexplored"
    return LeftOpen(f"some scenarios were left {told}", any(each.out_of_time for each in kinds))


def _not_compared(_: Sequence[Term], /) -> Possibility:
    return Open("what a library function gives is not compared over these values")


def outcome_in(encoding: Encoding) -> str:
    """The outcome in the one state of an encoding, whose formulas are all constants."""
    if encoding.shows is TRUE:
        return OCCURS
    return next((what for what, where in encoding.refutes.items() if where is TRUE), UNEXPLORED)
