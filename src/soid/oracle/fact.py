"""The factual moment: what the program does on the logged inputs, and whether the log agrees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

from msgspec import Struct

from soid.engine.summary import ConcreteRun, Decided, PathSummary, Unexplored
from soid.errors import QueryError
from soid.formula.build import TRUE
from soid.oracle.answer import Verdict
from soid.oracle.confirmation import confirm
from soid.oracle.encoding import FAILS, UNDECIDED, FactualMoment, encode
from soid.oracle.finding import Finding
from soid.oracle.inquiry import Inquiry
from soid.oracle.log_check import LoggedSteps, decided
from soid.program.interface import Interface
from soid.query.behavior import Behavior
from soid.query.query import Query
from soid.witness.witness import Shows, Witness

#: how the reason begins for which an answer is withheld until the investigator accepts it on the record
LOG_MISMATCH: Final = "log mismatch"
LOG_UNCHECKED: Final = "the log was not checked"


@final
class Fact(Struct, frozen=True):
    """The factual moment, examined."""

    inputs: Mapping[str, int]  # bits of every input
    outputs: Mapping[str, int]  # bits of what was `decided`
    summary: PathSummary  # of the one factual state
    run: ConcreteRun
    environments: tuple[Mapping[str, int], ...]  # bits of what was perceived from the second step on
    replayed: str  # how it was replayed, in words
    mismatch: str = ""  # how log and program differ, in words
    unsettled: str = ""  # why nobody can tell whether they do
    relies_on: tuple[str, ...] = ()


def examine(log: LoggedSteps, summary: PathSummary, interface: Interface, asking: Inquiry) -> Fact:
    """Run the program on the logged inputs and compare."""
    keyframe = log.keyframe
    run = summary.run({})
    confirmation = confirm(run, keyframe.inputs, interface, asking, environments=log.environments, concrete=True)
    computed = {name: int(value) for name, value in (*run.earlier, run.outputs)[0].items()}
    unchecked: tuple[str, ...] = ()
    if isinstance(run.path.ending, Unexplored):
        where = f" from step {keyframe.step + len(run.earlier)} on" if run.earlier else ""
        unchecked = (f"the log was not checked against the program{where}: {run.path.ending}",)
    return Fact(
        inputs=keyframe.inputs,
        outputs=decided(keyframe, computed),
        summary=summary,
        run=run,
        environments=log.environments,
        replayed=confirmation.replayed,
        mismatch=log.mismatch(run),
        relies_on=(*unchecked, *log.assumed(), *(f"the fact was {text}" for text in confirmation.relies_on)),
    )


def without_fact(fact: Fact, behavior: Behavior) -> Finding | None:
    """What to say to `fact(...)` of something that has no value in fact, as far as anyone knows; else None.

    Where nobody looked at the factual moment there may well be a value: the verdict is unknown. Where the program came
    to none, the question makes no sense, and neither yes nor no would be true of it.
    """
    missing = sorted(behavior.facts - {*fact.inputs, *fact.outputs})
    if not missing:
        return None
    name, ending = missing[0], Decided() if fact.run.earlier else fact.run.path.ending
    if isinstance(ending, Unexplored):
        why = f"what {name} was in fact is not known: it is not logged, and the factual moment was left {ending}"
        return Finding(Verdict.UNKNOWN, why, summary=fact.summary)
    why = "it was never reached" if isinstance(ending, Decided) else f"the program {ending}"
    raise QueryError(f"{name} had no value in fact: {why}", f"Ask without fact({name}).")


def judge(fact: Fact, query: Query, interface: Interface) -> Finding:
    """`did`: the factual encoding, in which every input is a constant and the formulas fold to true or false."""
    facts = FactualMoment(interface, fact.inputs, fact.outputs, fact.inputs, fact.environments)
    encoding = encode(fact.summary, query.behavior, facts, query.period)
    witness = _witness(fact, interface)
    if encoding.unexplored is TRUE:
        return Finding(Verdict.UNKNOWN, f"the factual moment was left {fact.run.path.ending}", summary=fact.summary)
    if encoding.shows is TRUE:
        return Finding(Verdict.YES, "on the logged inputs it does", witness=witness, summary=fact.summary)
    instead = next(what for what, where in encoding.refutes.items() if where is TRUE)
    ending = fact.run.path.ending
    if instead in (FAILS, UNDECIDED):
        said = str(ending)
    else:
        said = instead if isinstance(ending, Decided) else f"{instead}: {ending}"
    return Finding(Verdict.NO, f"on the logged inputs it {said}", witness=witness, summary=fact.summary)


def _witness(fact: Fact, interface: Interface) -> Witness:
    return Witness(
        shows=Shows.FACT,
        interface=interface,
        inputs=fact.inputs,
        changed=(),
        outputs={name: int(value) for name, value in fact.run.outputs.items()},
        ending=fact.run.path.ending,
        path=fact.run.path.name,
        earlier=tuple({name: int(value) for name, value in step.items()} for step in fact.run.earlier),
        replayed=fact.replayed,
    )
