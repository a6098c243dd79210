"""The state of an explanation in progress: the program, the fact, a budget, and ways to examine states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.protocol import Exploration
from soid.engine.summary import PathSummary
from soid.engine.trail import Trail
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.checker import Checker
from soid.formula.term import Term
from soid.oracle.answer import Answer
from soid.oracle.confirmation import confirm, witness_of
from soid.oracle.encoding import FAILS, NEITHER, OTHERWISE, UNDECIDED, Encoding, FactualMoment, encode
from soid.oracle.inquiry import Inquiry
from soid.oracle.pipeline import explore
from soid.program.interface import Interface
from soid.query.query import Query
from soid.scenario.family import Family
from soid.scenario.supposition import Supposition
from soid.scenario.trace import Keyframe
from soid.witness.witness import Shows, Witness

#: outcomes of a scenario, besides the ways in which a behavior does not occur (`oracle.encoding`)
OCCURS: Final = "occurs"
UNEXPLORED: Final = "was left unexplored"

#: each outcome in words that follow "the program"
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
    def fact(self) -> Mapping[str, int]:
        """Bits of every input in fact."""
        return self.keyframe.inputs

    @property
    def out_of_time(self) -> bool:
        return self.asking.deadline.is_over or self.asking.context.cancel.cancelled

    def family(self, suppositions: Sequence[Supposition]) -> Family:
        """The family of some suppositions, as in the oracle."""
        pinning = self.asking.mechanisms.pinning
        return Family(self.interface, self.fact, tuple(suppositions), pinning, self.keyframe.rounded)

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
        steps = self.query.period.count
        confirmation = confirm(run, inputs, self.interface, self.asking, steps=steps, concrete=True)
        shows, replayed = Shows.EXAMPLE if happens == OCCURS else Shows.COUNTEREXAMPLE, confirmation.replayed
        witness = witness_of(run, shows, self.interface, self.fact, inputs, replayed, settled=settled)
        witness = replace(witness, changed=self.answer.with_origins(witness.changed, witness))
        left_open = str(explored.encoding.left_open[0]) if happens == UNEXPLORED else ""
        return StudiedScenario(happens, witness, left_open)

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


def _happens(encoding: Encoding) -> str:
    """The outcome in the one state of an encoding, whose formulas are all constants."""
    if encoding.shows is TRUE:
        return OCCURS
    return next((what for what, where in encoding.refutes.items() if where is TRUE), UNEXPLORED)
