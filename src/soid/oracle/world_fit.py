"""Whether the world around a program reproduces the log as well as its manifest says.

An answer that rests on the world says how far that is off the log, or that this was not looked at. Where it is farther
off than the manifest allows, such an answer is unknown: it would be about another world than the one of the log.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from soid.assumptions import Assumption, Ledger
from soid.engine.protocol import Engine
from soid.engine.world.world_check import Deviation, WorldCheck
from soid.oracle.answer import Verdict
from soid.oracle.finding import Finding
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.query.words import listed
from soid.scenario.trace import Trace


def world_off(relies_on: Sequence[Assumption], engine: Engine, trace: Trace | None) -> tuple[str, ...]:
    """Why the world that something rests on does not reproduce the log as stated; empty: it does, or nothing is."""
    check = _check(relies_on, engine, trace)
    return check.off if check is not None else ()


def within_tolerance(finding: Finding, relies_on: Sequence[Assumption], engine: Engine, trace: Trace | None) -> Finding:
    """A finding that rests on the world, with how well that reproduces the log; unknown where it does not."""
    if not any(each.id == Ledger.WORLD.value for each in relies_on):
        return finding
    check = _check(relies_on, engine, trace)
    if check is None:
        return replace(finding, relies_on=(*finding.relies_on, Ledger.WORLD_UNCHECKED.of()))
    fits = replace(finding, relies_on=(*finding.relies_on, *_told(check)))
    claims = finding.verdict.is_definite or finding.settled is not None or finding.settled_steps is not None
    if not check.off or not claims:
        return fits
    return Finding(Verdict.UNKNOWN, VerdictReason(ReasonCode.WORLD_OFF, (listed(check.off),)), relies_on=fits.relies_on)


def _check(relies_on: Sequence[Assumption], engine: Engine, trace: Trace | None) -> WorldCheck | None:
    """The check of a world that something rests on, if a tolerance is stated: it takes a run of each step."""
    rests = any(each.id == Ledger.WORLD.value for each in relies_on)
    return engine.world_check(trace) if rests and trace is not None and engine.states_tolerance else None


def _told(check: WorldCheck) -> tuple[Assumption, ...]:
    if not check.compared:
        return (Ledger.WORLD_UNCHECKED.of(),)
    course = f"from step {check.first} to step {check.last}, its own state fed back, {_off(check.course)}"
    compared = f"the log's first {check.compared}" if check.is_part else check.compared
    return (Ledger.WORLD_FITS.of(compared, _off(check.one_step), course if check.course else "no more is known"),)


def _off(deviations: Sequence[Deviation]) -> str:
    """How far each variable is off that is off."""
    far = [f"{each.amount} ({each.variable.path})" for each in deviations if each.distance != 0]
    return f"off by at most {', '.join(far)}" if far else "not off"
