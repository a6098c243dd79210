"""The reason for a verdict: a code for programs, and the data that completes its sentence for people.

All sentences come from the table here. No code parses a sentence.

>>> reason = VerdictReason(ReasonCode.LOG_MISMATCH, ("the log says x = 1, the program gives 2",))
>>> str(reason), reason.awaits_acceptance
('log mismatch: the log says x = 1, the program gives 2', True)
"""

from __future__ import annotations

import enum
from typing import Final, Self, final

from msgspec import Struct

_NEITHER: Final = "which is neither the behavior nor its opposite"
_NO_VALUE: Final = "a division by zero, a number that does not fit its type, or something that is never reached"
_BY_RUNS: Final = "proved by interpreting the program on each of the {}"
_THE_FACT_ALONE: Final = "the only scenario is the fact, which a counterfactual question leaves out"


@final
class ReasonCode(enum.Enum):
    """Each code (`reason_code` in docs/json.md) and its sentence."""

    sentence: str  # with placeholders for data

    # the verdict is yes or no
    DOES = "does", "in the scenario shown it does"
    DECIDES_OTHERWISE = "decides_otherwise", "in the scenario shown it decides otherwise"
    FAILS = "fails", f"in the scenario shown the program fails, {_NEITHER}"
    DOES_NOT_DECIDE = "does_not_decide", f"in the scenario shown the program does not decide, {_NEITHER}"
    NEVER_REACHED = "never_reached", "in the scenario shown what the behavior speaks of is never reached"
    NO_VALUE = "no_value", f"in the scenario shown what the behavior computes has no value: {_NO_VALUE}"
    ALWAYS = "always", "in every scenario it does: proved over all of them"
    NEVER = "never", "in no scenario does it: proved over all of them"
    ALWAYS_BY_RUNS = "always_by_runs", f"in every scenario it does: {_BY_RUNS}"
    NEVER_BY_RUNS = "never_by_runs", f"in no scenario does it: {_BY_RUNS}"
    DID = "did", "on the logged inputs it does"
    DID_NOT = "did_not", "on the logged inputs it {}"
    ROUNDED_ALIKE = "rounded_alike", "on every state that rounds to the logged one {}: proved over all of them"
    ASSUMED_ALIKE = "assumed_alike", "{}, {}: proved over all that the log allows"
    # the family has no scenario
    NOTHING_SUPPOSED = "nothing_supposed", f"nothing was supposed: {_THE_FACT_ALONE}"
    NOTHING_FREED = "nothing_freed", f"everything that is mentioned is kept: {_THE_FACT_ALONE}"
    FACT_EXCLUDED = "fact_excluded", "nothing may differ, and the fact does not satisfy: {}"
    ONLY_THE_FACT = "only_the_fact", "only the fact itself satisfies: {}"
    UNSATISFIABLE = "unsatisfiable", "no scenario satisfies: {}"
    CONFLICT = "conflict", "these exclude each other: {}"
    # the question is open
    FAMILY_OPEN = "family_open", "whether the family has any scenario is not settled: {}"
    SOLVERS_OPEN = "solvers_open", "the solvers did not settle it: {}"
    APPROXIMATED = "approximated", "{}"
    UNEXPLORED = "unexplored", "some scenarios were left {}"
    FACT_UNEXPLORED = "fact_unexplored", "the factual moment was left {}"
    FACT_VALUE_UNKNOWN = (
        "fact_value_unknown",
        "what {} was in fact is not known: it is not logged, and the factual moment was left {}",
    )
    FACT_ASSUMED = (
        "fact_assumed",
        "what {} was in fact is not known: it is not logged, and it does not follow from the log",
    )
    UNTIL_OPEN = (
        "until_open",
        "which scenario is what happened is not known, because it is not known when `until` would have ended it: {}",
    )
    LOG_ROUNDED = "log_rounded", "the log does not settle it: {}"
    DEPENDS = "depends", "it depends on {}, which is not logged and does not follow from the log{}"
    WORLD_OFF = "world_off", "the world does not reproduce the log as the manifest says that it does: {}"
    ASSUMED_OPEN = "assumed_open", "whether it is so for every value that {} may have had is not settled: {}"
    # the answer is withheld until the investigator accepts the log on the record
    LOG_UNCHECKED = "log_unchecked", "the log was not checked: {}"
    LOG_MISMATCH = "log_mismatch", "log mismatch: {}"
    # the answer was stored before reasons had codes
    UNCODED = "uncoded", "{}"

    def __new__(cls, code: str, sentence: str) -> Self:
        made = object.__new__(cls)
        made._value_ = code
        made.sentence = sentence
        return made


#: the sentences of questions about pairs, where they are others
_OF_PAIRS: Final = {
    ReasonCode.DOES: "in the pair shown it holds",
    ReasonCode.DECIDES_OTHERWISE: "in the pair shown it does not hold",
    ReasonCode.FAILS: "in the pair shown the program fails for one: there is nothing to compare",
    ReasonCode.DOES_NOT_DECIDE: "in the pair shown the program does not decide for one: there is nothing to compare",
    ReasonCode.NEVER_REACHED: "in the pair shown one has no outcome: there is nothing to compare",
    ReasonCode.NO_VALUE: f"in the pair shown what is compared has no value: {_NO_VALUE}",
    ReasonCode.ALWAYS: "it holds for every pair: proved over all of them",
    ReasonCode.NEVER: "it holds for no pair: proved over all of them",
    ReasonCode.ALWAYS_BY_RUNS: f"it holds for every pair: {_BY_RUNS}",
    ReasonCode.NEVER_BY_RUNS: f"it holds for no pair: {_BY_RUNS}",
    ReasonCode.UNSATISFIABLE: "no pair satisfies: {}",
    ReasonCode.FAMILY_OPEN: "whether there is any such pair is not settled: {}",
    ReasonCode.UNEXPLORED: "some pairs were left {}",
}


#: the sentences of behaviors of which it is told that they are so, where they are others: an event happens, and nothing
#: does it; and of a question that denies something, "it does" would be read as what it denies
_AS_SO: Final = {
    ReasonCode.DOES: "in the scenario shown it is so",
    ReasonCode.DECIDES_OTHERWISE: "in the scenario shown it is not so",
    ReasonCode.ALWAYS: "it is so in every scenario: proved over all of them",
    ReasonCode.NEVER: "it is so in no scenario: proved over all of them",
    ReasonCode.ALWAYS_BY_RUNS: f"it is so in every scenario: {_BY_RUNS}",
    ReasonCode.NEVER_BY_RUNS: f"it is so in no scenario: {_BY_RUNS}",
    ReasonCode.DID: "on the logged inputs it is so",
}

#: the same of behaviors that speak of how the program ends: there its failing is what was asked about
_OF_ENDINGS: Final = {
    **_AS_SO,
    ReasonCode.FAILS: "in the scenario shown the program fails",
    ReasonCode.DOES_NOT_DECIDE: "in the scenario shown the program does not decide",
}


_TIME: Final = "The time was over before it was settled for every scenario."

#: what stands in the way of an answer, in plain words: without names of files, functions or solvers; the reasons of
#: other unknown answers are plain themselves
_OBSTACLES: Final = {
    ReasonCode.FAMILY_OPEN: "It is not settled whether any scenario fits what is supposed.",
    ReasonCode.SOLVERS_OPEN: "What the program computes is too hard to solve for some of the scenarios.",
    ReasonCode.APPROXIMATED: "Numbers that the program computes are known only between bounds that are too wide here.",
    ReasonCode.UNEXPLORED: "In some scenarios the program does something that soid cannot follow.",
    ReasonCode.FACT_UNEXPLORED: "At the moment itself the program does something that soid cannot follow.",
    ReasonCode.FACT_VALUE_UNKNOWN: "What it is compared with was not logged.",
    ReasonCode.FACT_ASSUMED: "What it is compared with was not logged.",
    ReasonCode.UNTIL_OPEN: "It is not known when what is supposed would have ended.",
    ReasonCode.LOG_ROUNDED: "It hangs on digits that the log does not have.",
    ReasonCode.WORLD_OFF: "The model of the world does not reproduce the log well enough.",
    ReasonCode.ASSUMED_OPEN: "It hangs on values that were not logged.",
}

#: reasons in the words of what explores and solves
_OF_TOOLS: Final = (
    ReasonCode.FAMILY_OPEN,
    ReasonCode.SOLVERS_OPEN,
    ReasonCode.APPROXIMATED,
    ReasonCode.UNEXPLORED,
    ReasonCode.FACT_UNEXPLORED,
)


@final
class VerdictReason(Struct, frozen=True):
    """A code, and the data of one answer."""

    code: ReasonCode
    told: tuple[str, ...] = ()  # fills the placeholders of the code's sentence; of a conflict, then each supposition
    out_of_time: bool = False  # more time may settle it

    @property
    def awaits_acceptance(self) -> bool:
        """Whether the oracle answers once the investigator has accepted the log."""
        return self.code in (ReasonCode.LOG_MISMATCH, ReasonCode.LOG_UNCHECKED)

    @property
    def obstacle(self) -> str:
        """What stands in the way of an answer, in a plain sentence; empty if the reason itself says it so."""
        return _TIME if self.out_of_time else _OBSTACLES.get(self.code, "")

    @property
    def is_of_tools(self) -> bool:
        """Whether its own sentence says how exploring or solving ended, for those who know the program or the tools."""
        return self.out_of_time or self.code in _OF_TOOLS

    def __str__(self) -> str:
        return self.code.sentence.format(*self.told)

    @property
    def of_pairs(self) -> str:
        """The sentence for a question about pairs."""
        return _OF_PAIRS.get(self.code, self.code.sentence).format(*self.told)

    @property
    def as_so(self) -> str:
        """The sentence for a behavior of which it is told that it is so: "it is so in every scenario"."""
        return _AS_SO.get(self.code, self.code.sentence).format(*self.told)

    @property
    def of_endings(self) -> str:
        """The sentence for a behavior that speaks of how the program ends."""
        return _OF_ENDINGS.get(self.code, self.code.sentence).format(*self.told)
