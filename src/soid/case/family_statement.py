"""What is so in all scenarios of a question, as a sentence.

The fact is none of them. Where it fits what is supposed and may be otherwise, the sentence says that it is left out:

    It would always cancel, whatever the heater had been, other than in fact

Where the program comes to no decision within its window, a larger one may let it: then the sentence is of that window.
"""

from __future__ import annotations

from typing import Final

from soid.assumptions import Ledger
from soid.engine.summary import Decided
from soid.formula.build import TRUE
from soid.oracle.answer import Answer, Verdict
from soid.oracle.encoding import FactualMoment, concrete_path, truth_on
from soid.query.words import Words
from soid.scenario.course import Course
from soid.scenario.family import Family
from soid.scenario.trace import Keyframe
from soid.solver.state_enumeration import all_states

#: with these, what is logged need not be what the program does on the logged inputs
_UNLIKE_THE_LOG: Final = frozenset(each.value for each in (Ledger.ACCEPTED, Ledger.UNCHECKED, Ledger.ROUNDED_ALIKE))
_FEW: Final = 4  # states: a label or a bool and its fact are looked at, and nothing that takes time


def has_one_scenario(answer: Answer, keyframe: Keyframe) -> bool:
    """Whether a question has one scenario, and so the one that is shown is all."""
    family = answer.course(keyframe).family()
    states = all_states(family.scenarios, [variable.symbol for variable in family.varying], _FEW)
    return not family.assumed and states is not None and len(states) == 1


def said_of_all(answer: Answer, keyframe: Keyframe) -> str:
    """The sentence, without its full stop; `keyframe` is the moment that the answer is about."""
    told = Words(keyframe.interface).of_all(answer.query, occurs=answer.verdict is Verdict.YES)
    told += ", within its window" if answer.paths.get("undecided") else ""
    return f"{told}, other than in fact" if _fact_may_differ(answer, keyframe) else told


def _fact_may_differ(answer: Answer, keyframe: Keyframe) -> bool:
    """Whether the fact fits what is supposed, and it is not known that it is there as in all scenarios."""
    if answer.query.lives is not None:  # a pair of which both are as in fact is told by what differs
        return False
    going_on = answer.course(keyframe)
    family = going_on.family()
    if not family.contains(going_on.fact, punctured=False) or family.contains(going_on.fact):
        return False
    return not _is_known(answer, family) or not _is_so_in_fact(answer, going_on)


def _is_known(answer: Answer, family: Family) -> bool:
    """Whether the decisions of the answer's fact are those of the program on the one state that was the fact.

    What it did there in later steps is not on the record, nor how it ended; only one that decides gives all outputs.
    One that fails or does not decide bears out no behavior, though what is said of the state before may be true.
    """
    unlike = {each.id for each in answer.relies_on} & _UNLIKE_THE_LOG
    is_one = not family.assumed and not any(path in family.rounded for path in family.supposed)
    outputs = family.interface.outputs
    decided = bool(outputs) and all(each.name in answer.fact for each in outputs)
    return is_one and decided and not unlike and answer.query.period.count == 1


def _is_so_in_fact(answer: Answer, going_on: Course) -> bool:
    facts = FactualMoment(going_on.interface, going_on.fact, answer.fact, going_on.fact)
    in_fact = concrete_path("in fact", Decided(), (answer.fact,), going_on.interface)
    truth = truth_on(in_fact, answer.query.behavior, facts)
    return (truth.true if answer.verdict is Verdict.YES else truth.false) is TRUE
