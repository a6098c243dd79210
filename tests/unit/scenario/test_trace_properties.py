"""A written trace is read back with the same bits."""

from __future__ import annotations

import csv
import io
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.formula.sorts import FLOAT16, FLOAT32, FLOAT64
from soid.program.domain import DEFAULT, AnyBitsDomain, Domain, Range, contains
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType, show
from soid.scenario.trace import Step, Trace
from soid.scenario.trace_reader import read
from tests.floats import special_patterns
from tests.unit.scenario.written import write_jsonl

KINDS: list[VariableType] = [
    BoolType(),
    IntType(1, signed=True),
    IntType(8, signed=True),
    IntType(64, signed=False),
    IntType(200, signed=True),
    FloatType(FLOAT16),
    FloatType(FLOAT32),
    FloatType(FLOAT64),
    EnumType("", 8, False, (("OFF", 0), ("LEFT", 1), ("RIGHT", 255))),
    EnumType("", 3, True, (("BACK", -1), ("STAY", 0), ("HOLD", 0))),
]
PATHS = ["speed", "world.agents[0].x", "world.agents[1].x", "world.signal", "a.b.c[12][3]", "time", "Go"]


def bits_of(variable: Variable) -> st.SearchStrategy[int]:
    """Values that a log may hold: values of the domain; any float if no domain is declared."""
    kind = variable.type
    every = st.integers(0, (1 << kind.width) - 1)
    if isinstance(kind, FloatType):
        every = st.sampled_from(special_patterns(kind.format)) | every
        if variable.domain == DEFAULT:
            return every
    elif isinstance(kind, EnumType) and variable.domain == DEFAULT:
        return st.sampled_from([number & (1 << kind.width) - 1 for _, number in kind.labels])
    return every.filter(lambda bits: contains(kind, variable.domain, bits))


@st.composite
def variables(draw: st.DrawFn, path: str) -> Variable:
    role = draw(st.sampled_from([Role.ENVIRONMENT, Role.STATE, Role.DECISION]))
    kind = draw(st.sampled_from(KINDS))
    if role is Role.DECISION:
        return Variable(path, role, kind)
    domains: list[Domain] = [DEFAULT, AnyBitsDomain()]
    if isinstance(kind, FloatType):
        domains.append(Range(kind.format.max_finite | kind.format.sign_bit, kind.format.max_finite))
    return Variable(path, role, kind, draw(st.sampled_from(domains)))


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    paths = draw(st.lists(st.sampled_from(PATHS), min_size=1, unique=True))
    interface = Interface(tuple(draw(variables(path)) for path in paths))
    times = sorted(draw(st.sets(st.integers(-(10**9), 10**30), min_size=1, max_size=4)))
    outputs = [(output.name, output.variable) for output in interface.outputs]
    steps = []
    for time in times:
        inputs = {variable.path: draw(bits_of(variable)) for variable in interface.inputs}
        logged = {name: draw(bits_of(variable)) for name, variable in outputs if draw(st.booleans())}
        steps.append(Step(time, inputs, logged))
    return Trace(interface, tuple(steps))


@settings(max_examples=60)
@given(traces())
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, trace: Trace) -> None:
    file = tmp_path_factory.getbasetemp() / f"written-{os.getpid()}.jsonl"
    file.write_text(write_jsonl(trace), encoding="utf-8")
    assert read(file, trace.interface) == trace


@settings(max_examples=40)
@given(traces(), st.sampled_from(",;\t"))
def test_a_table_says_the_same(tmp_path_factory: pytest.TempPathFactory, trace: Trace, delimiter: str) -> None:
    file = tmp_path_factory.getbasetemp() / f"written-{os.getpid()}.csv"
    file.write_text(_table(trace, delimiter), encoding="utf-8", newline="")
    assert read(file, trace.interface) == trace


def _table(trace: Trace, delimiter: str) -> str:
    columns = [(variable.path, variable.type) for variable in trace.interface.inputs]
    columns += [(output.name, output.variable.type) for output in trace.interface.outputs]
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerow(["step", *(name for name, _ in columns)])
    for step in trace:
        values = {**step.inputs, **step.decisions}
        writer.writerow([step.time, *(show(kind, values[name]) if name in values else "" for name, kind in columns)])
    return out.getvalue()
