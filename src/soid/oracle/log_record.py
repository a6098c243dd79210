"""What an answer takes for granted of how its log was read, and of logged values outside of their domains."""

from __future__ import annotations

from soid.assumptions import Assumption, Ledger
from soid.program.types import show
from soid.scenario.logs.domain_report import outside
from soid.scenario.trace import Keyframe


def taken_from_log(keyframe: Keyframe) -> tuple[Assumption, ...]:
    found = keyframe.trace.relies_on if keyframe.trace is not None else ()
    values = [
        f"{variable.path} = {show(variable.type, keyframe.inputs[variable.path])} ({variable.domain_text})"
        for variable in outside(keyframe.interface, keyframe.inputs)
    ]
    return (*found, Ledger.OUTSIDE_DOMAIN.of(", ".join(values))) if values else found
