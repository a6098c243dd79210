"""The state of an explanation in progress: the program, the fact, a budget, and ways to examine states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, assert_never, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.protocol import Exploration
from soid.engine.summary import PathSummary
from soid.engine.trail import Trail
from soid.explanation.every_value import EveryValue
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.checker import Checker, Impossible, Open, Possibility, Possible
from soid.formula.term import Term
from soid.oracle.answer import Answer
from soid.oracle.confirmation import confirm, witness_of
from soid.oracle.encoding import FAILS, NEITHER, OTHERWISE, UNDECIDED, Encoding, FactualMoment, encode
from soid.oracle.inquiry import Inquiry
from soid.oracle.pipeline import explore
from soid.program.interface import Interface, Variable
from soid.query.query import Query
from soid.query.words import listed
from soid.scenario.family import Family
from soid.scenario.supposition import Supposition
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
    DOES_NOT: DOES_NOT,
    UNEXPLORED: UNEXPLORED,
}


@final
class StudiedScenario(Struct, frozen=True):
    """One state that was run: its outcome for the question, and what the program does there."""

    happens: str  # one of the keys of IN_WORDS
    witness: Witness
    left_open: str = ""  # why it is not known what happens

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

    interface: Interface
    keyframe: Keyframe
    answer: Answer
    asking: Inquiry  # with the explanation's own budget

    @property
    def query(self) -> Query:
        return self.answer.query

    @property
    def unknown(self) -> tuple[Variable, ...]:
        """The inputs that are not known; no supposition speaks of one."""
        return tuple(self.interface.variable(path) for path in sorted(self.keyframe.assumed))

    @property
    def fact(self) -> Mapping[str, int]:
        """Bits of every input in fact; what is not known is as in the scenario shown."""
        witness = self.answer.witness
        return {**self.keyframe.inputs, **(self.taken(witness.inputs) if witness is not None else {})}

    def taken(self, state: Mapping[str, int]) -> dict[str, int]:
        """What a state has for the inputs that are not known."""
        return {variable.path: state[variable.path] for variable in self.unknown}

    @property
    def out_of_time(self) -> bool:
        return self.asking.deadline.is_over or self.asking.context.cancel.cancelled

    def family(self, suppositions: Sequence[Supposition]) -> Family:
        """The family of some suppositions, as in the oracle."""
        pinning = self.asking.mechanisms.pinning
        assumed, fitting = frozenset(self.keyframe.assumed), self.keyframe.fitting
        given = self.interface, self.fact, tuple(suppositions), pinning, self.keyframe.rounded
        return Family(*given, assumed=assumed, fitting=fitting)

    @property
    def possible(self) -> Term:
        """Which values the inputs that are not known may have had."""
        return self.family(self.query.suppositions).possible

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
        asking = self.asking
        facts = FactualMoment(self.interface, self.fact, self.answer.fact, given)
        summary = explore(given, precondition, self.query.behavior, asking, self.query.period.count)
        encoding = encode(summary, self.query.behavior, facts, self.query.period)
        return Explored(summary, encoding, asking.refining_checker(summary).checker(asking.glance))

    def scenario(self, state: Mapping[str, int], *, settled: bool = True) -> StudiedScenario:
        """Explore one state alone, and run it on the compiled program."""
        inputs = {variable.path: state[variable.path] for variable in self.interface.inputs}
        explored = self.explored(inputs, TRUE)
        run = explored.summary.run({})
        happens = _happens(explored.encoding)
        if self.unknown and happens not in (OCCURS, UNEXPLORED):
            happens = DOES_NOT
        steps = self.query.period.count
        confirmation = confirm(run, inputs, self.interface, self.asking, steps=steps, concrete=True)
        shows, replayed = Shows.EXAMPLE if happens == OCCURS else Shows.COUNTEREXAMPLE, confirmation.replayed
        fact, assumed = {**self.fact, **self.taken(inputs)}, tuple(variable.path for variable in self.unknown)
        compared = run, shows, self.interface, fact, inputs, replayed
        witness = witness_of(*compared, settled=settled, assumed=assumed)
        witness = replace(witness, changed=self.answer.with_origins(witness.changed, witness))
        left_open = str(explored.encoding.left_open[0]) if happens == UNEXPLORED else ""
        return StudiedScenario(happens, witness, left_open)

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
            case Open(reason):
                return replace(self.scenario(state), happens=UNEXPLORED, left_open=reason)
            case _:
                assert_never(answer)

    @property
    def factual(self) -> StudiedScenario:
        """The fact. If its outcome depends on what is not known, that counts as unexplored."""
        here = self.scenario(self.fact)
        if (
            not self.unknown
            or here.happens == UNEXPLORED
            or self.contrary(self.fact, here.happens).happens == here.happens
        ):
            return here
        names = listed(variable.path for variable in self.unknown)
        return replace(here, happens=UNEXPLORED, left_open=f"what happened in fact depends on {names}")

    def trail(self, state: Mapping[str, int]) -> Trail | None:
        """The branches that one state takes in the source, if there is a source."""
        asking, context = self.asking, self.asking.context
        exploration = Exploration(
            state,
            TRUE,
            asking.glance,
            asking.deadline,
            context.cancel,
            window=context.settings.window,
            memory=context.settings.memory,
            steps=self.query.period.count,
        )
        return context.engine.trail(exploration)


def _not_compared(_: Sequence[Term], /) -> Possibility:
    return Open("what a library function gives is not compared over these values")


def _happens(encoding: Encoding) -> str:
    """The outcome in the one state of an encoding, whose formulas are all constants."""
    if encoding.shows is TRUE:
        return OCCURS
    return next((what for what, where in encoding.refutes.items() if where is TRUE), UNEXPLORED)
