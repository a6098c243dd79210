"""What is at hand while an answer is explained: the program, the fact, a budget, and ways to look closer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from msgspec import Struct

from soid.engine.protocol import Exploration
from soid.engine.refinement import RefiningChecker
from soid.engine.summary import PathSummary
from soid.engine.trail import Trail
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.checker import Checker
from soid.formula.term import Term
from soid.oracle.answer import Answer
from soid.oracle.confirmation import confirm
from soid.oracle.encoding import FAILS, NEITHER, OTHERWISE, UNDECIDED, Encoding, FactualMoment, encode
from soid.oracle.inquiry import Inquiry
from soid.oracle.pipeline import explore
from soid.program.interface import Interface
from soid.query.query import Query
from soid.scenario.family import Family
from soid.scenario.supposition import Supposition
from soid.scenario.trace import Keyframe
from soid.witness.witness import Shows, Witness, changes

#: what can happen in a scenario, besides the ways in which a behavior does not occur (`oracle.encoding`)
OCCURS: Final = "occurs"
UNEXPLORED: Final = "was left unexplored"

#: each in words, to follow "the program"
IN_WORDS: Final = {
    OCCURS: "does it",
    OTHERWISE: "decides otherwise",
    FAILS: "fails",
    UNDECIDED: "does not decide",
    NEITHER: "never reaches what the behavior speaks of",
    UNEXPLORED: UNEXPLORED,
}


@final
class StudiedScenario(Struct, frozen=True):
    """One state, run: what the program does there, and what that is to the question."""

    happens: str  # one of those above
    witness: Witness

    @property
    def state(self) -> Mapping[str, int]:
        return self.witness.inputs


@final
class Explored(Struct, frozen=True):
    """Many states, explored: where the behavior occurs among them, and a checker that knows their approximations."""

    summary: PathSummary
    encoding: Encoding
    check: Checker

    def where(self, happens: str) -> Term:
        """The states in which something happens."""
        return self.encoding.shows if happens == OCCURS else self.encoding.refutes[happens]

    @property
    def not_occurring(self) -> Term:
        """The states in which the behavior does not occur, whatever happens instead."""
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
    def fact(self) -> Mapping[str, int]:
        """Bits of every input in fact."""
        return self.keyframe.inputs

    @property
    def out_of_time(self) -> bool:
        return self.asking.deadline.is_over or self.asking.context.cancel.cancelled

    def family(self, suppositions: Sequence[Supposition]) -> Family:
        """The family of some suppositions, as the oracle has it."""
        pinning = self.asking.mechanisms.pinning
        return Family(self.interface, self.fact, tuple(suppositions), pinning, self.keyframe.rounded)

    def explored(self, given: Mapping[str, int], precondition: Term) -> Explored:
        """The states of a precondition."""
        asking = self.asking
        summary = explore(given, precondition, self.query.behavior, asking, self.query.period.count)
        encoding = encode(summary, self.query.behavior, self._facts(given), self.query.period)
        approximations = {one.symbol: one for one in summary.approximations}
        refining = RefiningChecker(approximations, asking.context.settings.refinements)
        return Explored(summary, encoding, refining.checker(asking.glance))

    def scenario(self, state: Mapping[str, int], *, settled: bool = True) -> StudiedScenario:
        """One state: explored by itself, then run on the compiled program."""
        inputs = {variable.path: state[variable.path] for variable in self.interface.inputs}
        explored = self.explored(inputs, TRUE)
        run = explored.summary.run({})
        happens = _happens(explored.encoding)
        steps = self.query.period.count
        confirmation = confirm(run, inputs, self.interface, self.asking, steps=steps, concrete=True)
        witness = Witness(
            shows=Shows.EXAMPLE if happens == OCCURS else Shows.COUNTEREXAMPLE,
            interface=self.interface,
            inputs=inputs,
            changed=changes(self.interface, self.fact, inputs),
            outputs={name: int(value) for name, value in run.outputs.items()},
            ending=run.path.ending,
            path=run.path.name,
            earlier=tuple({name: int(value) for name, value in step.items()} for step in run.earlier),
            replayed=confirmation.replayed,
            settled=settled,
        )
        return StudiedScenario(happens, witness)

    def trail(self, state: Mapping[str, int]) -> Trail | None:
        """The way that one state takes through the source, where there is one."""
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

    def _facts(self, given: Mapping[str, int]) -> FactualMoment:
        return FactualMoment(self.interface, self.fact, self.answer.fact, given)


def _happens(encoding: Encoding) -> str:
    """What happens in the one state that an encoding is about: every formula is a constant there."""
    if encoding.shows is TRUE:
        return OCCURS
    return next((what for what, where in encoding.refutes.items() if where is TRUE), UNEXPLORED)
