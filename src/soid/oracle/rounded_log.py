"""A rounded log: the factual moment is one of the states that round to the logged one, and the log does not say which.

`did` is yes if the behavior occurs in all of these states, no if it occurs in none, and unknown otherwise. For such an
unknown two scenarios are shown: the logged values, and a state that rounds to them and has the other outcome. Log and
program differ only if none of these states gives what is logged. `would` and `might` use the logged values, and the
answer says so; the pipeline then looks whether other values that round to them give another answer. Every state that
rounds to the logged one may be the fact, so the family excludes all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

from msgspec.structs import replace

from soid.assumptions import Assumption, Ledger
from soid.engine.summary import PathSummary
from soid.formula import build
from soid.formula.build import FALSE
from soid.formula.checker import Impossible, Open, Possibility, Possible
from soid.formula.term import Term
from soid.oracle.answer import Verdict
from soid.oracle.assumed_inputs import Everywhere
from soid.oracle.encoding import FAILS, NEITHER, NO_VALUE, OTHERWISE, UNDECIDED, Encoding, FactualMoment, encode
from soid.oracle.fact import Fact
from soid.oracle.finding import Finding, might, would
from soid.oracle.inquiry import Inquiry
from soid.oracle.log_check import LoggedSteps
from soid.oracle.possible_facts import PossibleFacts
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.oracle.replayed_witness import replayed
from soid.query.query import Query
from soid.query.words import Words, listed, whatever
from soid.scenario.input_names import all_called
from soid.scenario.trace import Keyframe
from soid.witness.witness import Shows, Witness


def reconsidered(fact: Fact, facts: PossibleFacts, summary: PathSummary, asking: Inquiry) -> Fact:
    """The fact of a log that differs on the logged values, judged by all states that round to them."""
    here = f"on {_here(facts)} {fact.mismatch}"
    truths = [(path.condition, facts.log.agreement(path)) for path in summary.paths]
    unexplored = build.any_of(
        build.and_(condition, build.not_(truth.true), build.not_(truth.false)) for condition, truth in truths
    )
    precondition = facts.precondition
    answer = _check([precondition, facts.agreeing(summary)], asking)
    match answer:
        case Possible():
            alike = () if facts.family.assumed else (Ledger.ROUNDED_ALIKE.of(fact.mismatch),)
            return replace(fact, mismatch="", elsewhere=True, relies_on=(*alike, *fact.relies_on))
        case Open(reason, late):
            why = f"{here}; whether {_another(facts)} agrees: {reason}"
            return replace(fact, unsettled=_unchecked(why, late))
        case Impossible():
            if isinstance(_check([precondition, unexplored], asking), Impossible):
                return replace(fact, mismatch=f"{fact.mismatch}, {_everywhere(facts)}")
            return replace(fact, unsettled=_unchecked(f"{here}; not all states that may have been were explored"))
        case _:
            assert_never(answer)


def _unknown(facts: PossibleFacts) -> list[str]:
    """The inputs that are not known, in words."""
    paths = (variable.path for variable in facts.family.undetermined)
    return all_called(paths, name=Words(facts.family.interface).called)


def _here(facts: PossibleFacts) -> str:
    """The state that is looked at first."""
    return f"one of the values of {listed(_unknown(facts))}" if facts.family.undetermined else "the logged values"


def _another(facts: PossibleFacts) -> str:
    return "another one" if facts.family.undetermined else "some state that rounds to them"


def _everywhere(facts: PossibleFacts) -> str:
    """That something is so in every state that may have been, in words."""
    if not facts.family.undetermined:
        return "as on every state that rounds to the logged one"
    return f"or differs otherwise, {whatever(_unknown(facts))}"


def _unchecked(why: str, out_of_time: bool = False) -> VerdictReason:
    return VerdictReason(ReasonCode.LOG_UNCHECKED, (why,), out_of_time)


def _check(conjuncts: Sequence[Term], asking: Inquiry) -> Possibility:
    return Impossible() if FALSE in conjuncts else asking.check(conjuncts)


def judge_around(
    logged: Finding, fact: Fact, query: Query, facts: PossibleFacts, summary: PathSummary, asking: Inquiry
) -> Finding:
    """`did`, asked of every state that rounds to the logged one; `logged` is the finding for the logged values."""
    if not logged.verdict.is_definite:
        return logged
    family, keyframe, environments = facts.family, facts.log.keyframe, facts.course.environments
    loose = sorted(query.behavior.facts & _only_logged(keyframe, fact))
    if loose:
        why = VerdictReason(ReasonCode.LOG_ROUNDED, (f"what {listed(loose)} was in fact is logged rounded",))
        return Finding(Verdict.UNKNOWN, why, summary=summary)
    moment = FactualMoment(family.interface, family.fact, fact.outputs, family.given, environments)
    encoding = encode(summary, query.behavior, moment, query.period)
    precondition = facts.precondition
    if not fact.mismatch:  # what gives something else than is logged is not the fact
        precondition = build.and_(precondition, facts.consistent(summary))
    does = logged.verdict is Verdict.YES
    everywhere = (would if does else might)([precondition], encoding, summary, asking)
    if everywhere.verdict is Verdict.UNKNOWN:
        return everywhere
    shown = _of(logged, facts)
    if everywhere.verdict is not logged.verdict:
        other = replayed(everywhere, query, family, moment, summary, asking)
        assert other.witness is not None, "a state shows it"
        one = logged
        if fact.elsewhere:  # the logged values are no state that may be the fact
            one = (might if does else would)([precondition], encoding, summary, asking)
            one = replayed(one, query, family, moment, summary, asking)
        if one.verdict is Verdict.UNKNOWN:
            return one
        if one.verdict is logged.verdict:
            shown = one.witness if fact.elsewhere and one.witness is not None else shown
            why = _apart(logged.verdict, shown, other.witness, Everywhere(family, (precondition,), encoding, asking))
            return _differing(shown, other, why)
        does, shown = not does, replace(other.witness, shows=Shows.FACT, changed=())
    return replace(_alike(does, facts, encoding, precondition, summary, asking), witness=shown)


def _alike(
    does: bool, facts: PossibleFacts, encoding: Encoding, precondition: Term, summary: PathSummary, asking: Inquiry
) -> Finding:
    """What happened, which is the same in all states that may have been."""
    instead = () if does else _possible_kinds(encoding, precondition, asking)
    what = "it is so" if does else listed([_INSTEAD[kind] for kind in instead], "or")
    why = VerdictReason(ReasonCode.ROUNDED_ALIKE, (what,))
    if unknown := _unknown(facts):
        why = VerdictReason(ReasonCode.ASSUMED_ALIKE, (whatever(unknown), what))
    return Finding(Verdict.YES if does else Verdict.NO, why, instead=instead, summary=summary)


#: what can happen instead of a behavior, in the words of a reason
_INSTEAD: Final = {
    OTHERWISE: "it decides otherwise",
    FAILS: "the program fails",
    UNDECIDED: "the program does not decide",
    NEITHER: "what the behavior speaks of is never reached",
    NO_VALUE: "what the behavior computes has no value",
}


def _possible_kinds(encoding: Encoding, precondition: Term, asking: Inquiry) -> tuple[str, ...]:
    """Everything that may happen instead of the behavior in a state that rounds to the logged one."""
    return tuple(
        kind
        for kind, where in encoding.refutes.items()
        if not isinstance(_check([precondition, where], asking), Impossible)
    )


def _apart(verdict: Verdict, one: Witness, other: Witness, everywhere: Everywhere) -> VerdictReason:
    """Why two states that the log allows differ: in what is not known, or in digits that are not logged."""
    unknown = {variable.symbol: variable.path for variable in everywhere.family.undetermined}
    here, there = ({symbol: each.inputs[path] for symbol, path in unknown.items()} for each in (one, other))
    if here != there:
        return everywhere.difference(verdict, here, there)
    logged, other_one = ("so", "not so") if verdict is Verdict.YES else ("not so", "so")
    told = f"on the logged values it is {logged}, and on a state that rounds to them it is {other_one}"
    return VerdictReason(ReasonCode.LOG_ROUNDED, (told,))


def _of(logged: Finding, facts: PossibleFacts) -> Witness:
    """The scenario of the logged values, as one of those that the log allows."""
    assert logged.witness is not None, "the logged values have been run"
    interface, fact = facts.family.interface, facts.family.fact
    inputs = {variable.path: fact[variable.path] for variable in interface.inputs}
    assumed = tuple(variable.path for variable in facts.family.undetermined)
    return replace(logged.witness, interface=interface, inputs=inputs, assumed=assumed)


def _differing(one: Witness, other: Finding, why: VerdictReason) -> Finding:
    """Unknown, shown by two states that the log allows: the behavior occurs in one of them only."""
    assert other.witness is not None and other.goal is not None
    first = Shows.EXAMPLE if other.goal.shows is Shows.COUNTEREXAMPLE else Shows.COUNTEREXAMPLE
    return Finding(
        Verdict.UNKNOWN,
        why,
        witness=replace(one, shows=first),
        contrast=other.witness,
        summary=other.summary,
        relies_on=other.relies_on,
    )


def _only_logged(keyframe: Keyframe, fact: Fact) -> set[str]:
    """Decisions that are logged rounded, and to whose logged value no computed value rounds."""
    computed = (*fact.run.earlier, fact.run.outputs)[0]
    logged = keyframe.rounded.keys() & keyframe.decisions.keys()
    return {name for name in logged if name not in computed or int(computed[name]) != fact.outputs.get(name)}


def standing_for(log: LoggedSteps, fact: Fact, query: Query) -> tuple[Assumption, ...]:
    """The assumption of a counterfactual question about a rounded log."""
    keyframe = log.keyframe
    later = {path for step in log.following for path in log.perceived if path in step.rounded}
    paths = [v.path for v in keyframe.interface.inputs if v.path in keyframe.rounded or v.path in later]
    decisions = sorted(query.behavior.facts & _only_logged(keyframe, fact))
    if not paths and not decisions:
        return ()
    return (Ledger.ROUNDED.of(", ".join([*paths, *decisions])),)
