"""Writes a trace as a log that is read back to the same trace."""

from __future__ import annotations

import json

from soid.formula.softfloat import to_fraction
from soid.program.domain import DEFAULT, contains
from soid.program.interface import Variable
from soid.program.manifest import STEP_COLUMN
from soid.program.types import FloatType, json_value
from soid.scenario.trace import Trace


def write_jsonl(trace: Trace, step_column: str = STEP_COLUMN) -> str:
    """The trace as JSON lines, without loss. A variable that is logged rounded has its declared decimals."""
    inputs = [(variable.path, variable) for variable in trace.interface.inputs]
    outputs = [(output.name, output.variable) for output in trace.interface.outputs]
    lines = []
    for step in trace:
        line: dict[str, object] = {step_column: step.time}
        line |= {path: _written(variable, step.inputs[path]) for path, variable in inputs}
        line |= {name: _written(variable, step.decisions[name]) for name, variable in outputs if name in step.decisions}
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    return "".join(lines)


def _written(variable: Variable, bits: int) -> object:
    kind = variable.type
    if variable.decimals is None or not isinstance(kind, FloatType) or not contains(kind, DEFAULT, bits):
        return json_value(kind, bits)
    return float(round(to_fraction(kind.format, bits), variable.decimals))
