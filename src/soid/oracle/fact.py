"""The factual moment: what the program does on the logged inputs, and whether the log agrees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from soid.engine.summary import Decided, PathSummary, Run, Unexplored
from soid.formula.build import TRUE
from soid.oracle.answer import Verdict
from soid.oracle.encoding import Facts, encode
from soid.oracle.finding import Finding
from soid.program.interface import Interface
from soid.program.types import constant, show
from soid.query.behavior import Behavior
from soid.scenario.trace import Keyframe
from soid.witness.witness import Shows, Witness


@final
@dataclass(frozen=True, slots=True)
class Fact:
    """The factual moment, examined."""

    inputs: Mapping[str, int]  # bits of every input
    outputs: Mapping[str, int]  # bits of what was decided: as logged, and where not logged as computed
    summary: PathSummary  # of the one factual state
    run: Run
    mismatch: str = ""  # how log and program differ, in words
    relies_on: tuple[str, ...] = ()


def examine(keyframe: Keyframe, summary: PathSummary, interface: Interface) -> Fact:
    """Run the program on the logged inputs and compare."""
    run = summary.run({})
    computed = {name: int(value) for name, value in run.outputs.items()}
    outputs = {**computed, **keyframe.decisions}
    unchecked: tuple[str, ...] = ()
    mismatch = ""
    if isinstance(run.path.ending, Unexplored):
        unchecked = (f"the log was not checked against the program: {run.path.ending}",)
    else:
        mismatch = _mismatch(keyframe, run, interface)
    return Fact(keyframe.inputs, outputs, summary, run, mismatch, unchecked)


def _mismatch(keyframe: Keyframe, run: Run, interface: Interface) -> str:
    """The logged outputs that the program does not give on the logged inputs, in words; none: empty."""
    differences: list[str] = []
    for name, logged in keyframe.decisions.items():
        kind = interface.variable(name.removesuffix("'")).type
        if not isinstance(run.path.ending, Decided):
            differences.append(f"the log says {name} = {show(kind, logged)}, the program {run.path.ending}")
        elif constant(kind, logged).value != run.outputs.get(name):
            given = show(kind, int(run.outputs[name])) if name in run.outputs else "nothing"
            differences.append(f"the log says {name} = {show(kind, logged)}, the program gives {given}")
    return "; ".join(differences)


def judge(fact: Fact, behavior: Behavior, interface: Interface) -> Finding:
    """`did`: the factual encoding, in which every input is a constant and the formulas fold to true or false."""
    facts = Facts(interface, fact.inputs, fact.outputs, fact.inputs)
    encoding = encode(fact.summary, behavior, facts)
    witness = _witness(fact, interface)
    if encoding.unexplored is TRUE:
        return Finding(Verdict.UNKNOWN, f"the factual moment was left {fact.run.path.ending}", summary=fact.summary)
    if encoding.shows is TRUE:
        return Finding(Verdict.YES, "on the logged inputs it does", witness=witness, summary=fact.summary)
    instead = next(what for what, where in encoding.refutes.items() if where is TRUE)
    ending = "" if isinstance(fact.run.path.ending, Decided) else f": {fact.run.path.ending}"
    return Finding(Verdict.NO, f"on the logged inputs it {instead}{ending}", witness=witness, summary=fact.summary)


def _witness(fact: Fact, interface: Interface) -> Witness:
    return Witness(
        shows=Shows.FACT,
        interface=interface,
        inputs=fact.inputs,
        changed=(),
        outputs={name: int(value) for name, value in fact.run.outputs.items()},
        ending=fact.run.path.ending,
        path=fact.run.path.name,
        replayed=REPLAYED_BY_EVALUATION,
    )


REPLAYED_BY_EVALUATION = "by evaluating the paths on this state"
