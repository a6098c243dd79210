"""What is so in all scenarios of a question, as a sentence.

The fact is none of them. Where it fits what is supposed and may be otherwise, the sentence says that it is left out:

    It would always cancel, whatever the heater had been, other than in fact
"""

from __future__ import annotations

from typing import Final

from soid.engine.summary import Decided
from soid.formula.build import TRUE
from soid.oracle.answer import Answer, Verdict
from soid.oracle.encoding import FactualMoment, concrete_path, truth_on
from soid.query.words import Words
from soid.scenario.trace import Keyframe
from soid.solver.state_enumeration import all_states

_FEW: Final = 4  # states: a label or a bool and its fact are looked at, and nothing that takes time


def has_one_scenario(answer: Answer, keyframe: Keyframe) -> bool:
    """Whether a question has one scenario, and so the one that is shown is all."""
    family = answer.course(keyframe).family()
    states = all_states(family.scenarios, [variable.symbol for variable in family.varying], _FEW)
    return not family.undetermined and states is not None and len(states) == 1


def said_of_all(answer: Answer, keyframe: Keyframe) -> str:
    """The sentence, without its full stop; `keyframe` is the moment that the answer is about."""
    told = Words(keyframe.interface).of_all(answer.query, occurs=answer.verdict is Verdict.YES)
    return f"{told}, other than in fact" if _fact_may_differ(answer, keyframe) else told


def _fact_may_differ(answer: Answer, keyframe: Keyframe) -> bool:
    """Whether the fact fits what is supposed, and it is not known that it is there as in all scenarios."""
    if answer.query.lives is not None:  # a pair of which both are as in fact is told by what differs
        return False
    going_on = answer.course(keyframe)
    if not going_on.family().contains(going_on.fact, punctured=False):
        return False
    if answer.query.period.count > 1:
        return True
    facts = FactualMoment(going_on.interface, going_on.fact, answer.fact, going_on.fact)
    in_fact = concrete_path("in fact", Decided(), (answer.fact,), going_on.interface)
    truth = truth_on(in_fact, answer.query.behavior, facts)
    return (truth.true if answer.verdict is Verdict.YES else truth.false) is not TRUE
