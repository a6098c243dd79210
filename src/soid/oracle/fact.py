"""The factual moment: the program's run on the logged inputs, and the comparison with the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, final

from msgspec import Struct

from soid.assumptions import Assumption, Ledger
from soid.engine.protocol import Engine
from soid.engine.replay import Replayer
from soid.engine.summary import ConcreteRun, Decided, LeftOpen, PathSummary, Unexplored, kept_open
from soid.errors import QueryError
from soid.formula.build import TRUE
from soid.oracle.answer import Verdict
from soid.oracle.confirmation import confirm, witness_of
from soid.oracle.encoding import FAILS, OTHERWISE, UNDECIDED, FactualMoment, encode
from soid.oracle.finding import Finding
from soid.oracle.inquiry import Inquiry
from soid.oracle.log_check import LoggedSteps, decided, fact_ends, only_last_digits
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.program.interface import Interface
from soid.query.query import Query
from soid.query.words import Words, listed
from soid.scenario.trace import Keyframe
from soid.witness.witness import Ends, Shows

_KEPT: Final = 64  # facts


@final
class Fact(Struct, frozen=True):
    """The factual moment, examined."""

    inputs: Mapping[str, int]  # bits of every input
    outputs: Mapping[str, int]  # bits of the decisions: see `decided`
    ends: Mapping[str, Ends]  # of those that are known between two ends only
    summary: PathSummary  # of the one factual state
    run: ConcreteRun
    environments: tuple[Mapping[str, int], ...]  # bits of the environment from the second step on
    replayed: str  # how it was replayed, in words
    mismatch: str = ""  # how log and program differ, in words
    unsettled: VerdictReason | None = None  # why it is not known whether they differ
    elsewhere: bool = False  # the program gives what is logged on other values that the log allows, not on these
    assumed: tuple[str, ...] = ()  # inputs that are not known: they have one of their possible values
    relies_on: tuple[Assumption, ...] = ()

    @property
    def withheld(self) -> Finding | None:
        """The finding of every question about this moment, until the investigator accepts the log."""
        if self.unsettled is not None:
            return Finding(Verdict.UNKNOWN, self.unsettled)
        if self.mismatch:
            return Finding(Verdict.ERROR, VerdictReason(ReasonCode.LOG_MISMATCH, (self.mismatch,)))
        return None


@final
class KeptFact(Struct, frozen=True):
    """The fact of a moment, for further questions about it."""

    fact: Fact
    engine: Engine  # that it was found with
    replayer: Replayer | None
    settled_by: Mapping[str, int]


def examined(
    log: LoggedSteps,
    observed: frozenset[str],
    interface: Interface,
    asking: Inquiry,
    explore: Callable[[], PathSummary],
) -> Fact:
    """The fact of a moment; one that is known in full, and that a run has settled, is kept for the next question."""
    keyframe, context = log.keyframe, asking.context
    is_known = not (log.following or keyframe.assumed or keyframe.of_pair)
    if not is_known or not asking.mechanisms.summaries:
        return examine(log, explore(), interface, asking)
    settings = context.settings
    told = keyframe.inputs, keyframe.decisions, keyframe.rounded, keyframe.derived
    seen = frozenset(name for name in observed if name in interface)  # the rest are labels
    states = (
        keyframe.step,
        keyframe.unlogged,
        keyframe.unfit,
        keyframe.unchecked,
        *(tuple(each.items()) for each in told),
    )
    calls = None if keyframe.trace is None else keyframe.trace.calls  # taken for granted where state is derived
    key = *states, calls, seen, settings.window, settings.paths, settings.recipe
    kept = context.facts.get(key)
    if kept is not None and kept.engine is context.engine and kept.replayer is context.replayer:
        asking.settled_by.update(kept.settled_by)
        return kept.fact
    settled_by = asking.settled_by.copy()
    found = examine(log, explore(), interface, asking)
    # what was not run may have been for want of time
    is_final = settings.replay == "off" or all(each.id != Ledger.NOT_RUN.value for each in found.relies_on)
    if is_final and not isinstance(found.run.path.ending, Unexplored):
        if len(context.facts) >= _KEPT:
            context.facts.clear()
        context.facts[key] = KeptFact(found, context.engine, context.replayer, asking.settled_by - settled_by)
    return found


def examine(log: LoggedSteps, summary: PathSummary, interface: Interface, asking: Inquiry) -> Fact:
    """Run the program on the logged inputs and compare."""
    keyframe = log.keyframe
    run = summary.run({})
    confirmation = confirm(run, keyframe.inputs, interface, asking, environments=log.environments, concrete=True)
    computed = {name: int(value) for name, value in (*run.earlier, run.outputs)[0].items()}
    unchecked: tuple[Assumption, ...] = ()
    if isinstance(run.path.ending, Unexplored):
        where = f" from step {keyframe.step + len(run.earlier)} on" if run.earlier else ""
        unchecked = (Ledger.UNCHECKED.of(f"{where}: {run.path.ending}"),)
    return Fact(
        inputs=keyframe.inputs,
        outputs=decided(keyframe, computed),
        ends=fact_ends(keyframe, run),
        summary=summary,
        run=run,
        environments=log.environments,
        replayed=confirmation.replayed,
        mismatch=keyframe.unfit or _mismatch(log, run, computed, asking),
        unsettled=VerdictReason(ReasonCode.LOG_UNCHECKED, (keyframe.unchecked,)) if keyframe.unchecked else None,
        assumed=keyframe.assumed,
        relies_on=(*unchecked, *log.unlogged(), *confirmation.relies_on("the fact")),
    )


def _mismatch(log: LoggedSteps, run: ConcreteRun, computed: Mapping[str, int], asking: Inquiry) -> str:
    """How log and program differ; and why, if that is known of the program's last digits."""
    found, why = log.mismatch(run), asking.context.engine.last_digits
    if not found or not why or log.following:
        return found
    return f"{found}. {why}" if only_last_digits(log.keyframe, computed, log.keyframe.interface) else found


def without_fact(fact: Fact, query: Query, keyframe: Keyframe) -> Finding | None:
    """The finding for a `fact(...)` of a variable that has no known value in fact; None if all have one.

    Where the factual moment is unexplored there may be a value: the verdict is unknown. Where the program computes no
    value, the question is a QueryError, because neither yes nor no would be true.
    """
    interface = keyframe.interface
    if unknown := [name for name in query.facts(interface) if is_assumed(name, keyframe)]:
        return Finding(
            Verdict.UNKNOWN, VerdictReason(ReasonCode.FACT_ASSUMED, (listed(unknown),)), summary=fact.summary
        )
    missing = query.behavior.unknown(fact.inputs, fact.outputs, interface)
    if not missing:
        return None
    name, ending = missing[0], Decided() if fact.run.earlier else fact.run.path.ending
    if isinstance(ending, Unexplored) or fact.run.keeps(0, name):
        late = isinstance(ending, Unexplored) and ending.out_of_time
        left = LeftOpen(str(ending), late) if isinstance(ending, Unexplored) else _why_open(fact.run, name)
        why_not = VerdictReason(ReasonCode.FACT_VALUE_UNKNOWN, (name, str(left)), left.out_of_time)
        return Finding(Verdict.UNKNOWN, why_not, summary=fact.summary)
    why = "it was never reached" if isinstance(ending, Decided) else f"the program {ending}"
    raise QueryError(f"{name} had no value in fact: {why}", f"Ask without fact({name}).")


def is_assumed(name: str, keyframe: Keyframe) -> bool:
    """Whether the factual value of a name is not known, or is that of one of the states that may have been."""
    variable = keyframe.interface.variable(name.removesuffix("'"))
    if name.endswith("'") or not variable.is_input:
        return bool(keyframe.assumed) and (name not in keyframe.decisions or name in keyframe.rounded)
    return any(source.path in keyframe.assumed for source in variable.sources)


def judge(fact: Fact, query: Query, interface: Interface) -> Finding:
    """`did`: in the factual encoding every input is a constant, so the formulas fold to true or false."""
    facts = FactualMoment(interface, fact.inputs, fact.outputs, fact.inputs, fact.environments)
    encoding = encode(fact.summary, query.behavior, facts, query.period)
    run = fact.run, Shows.FACT, interface, fact.inputs, fact.inputs, fact.replayed
    witness = witness_of(*run, assumed=fact.assumed)
    ending = fact.run.path.ending
    if encoding.unexplored is TRUE:
        why = encoding.left_open[0]
        left = VerdictReason(ReasonCode.FACT_UNEXPLORED, (str(why),), why.out_of_time)
        return Finding(Verdict.UNKNOWN, left, summary=fact.summary)
    if encoding.shows is TRUE:
        return Finding(Verdict.YES, VerdictReason(ReasonCode.DID), witness=witness, summary=fact.summary)
    instead = next(what for what, where in encoding.refutes.items() if where is TRUE)
    if instead in (FAILS, UNDECIDED):
        words = str(ending)
    else:
        words = "is not so" if instead == OTHERWISE and Words(interface).is_told_as_so(query) else instead
        words = words if isinstance(ending, Decided) else f"{words}: {ending}"
    did_not = VerdictReason(ReasonCode.DID_NOT, (words,))
    return Finding(Verdict.NO, did_not, witness=witness, summary=fact.summary)


def _why_open(run: ConcreteRun, name: str) -> LeftOpen:
    """Why an output of the first step has no known value."""
    outputs = (*run.path.earlier, run.path.outputs)[0]
    return kept_open([(name, outputs[name])])
