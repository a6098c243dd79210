"""One C or C++ file a feature: how its comment is read, how it is explored, and how it is run natively.

The comment says what the file covers, and in lines of their own what the tests need:

    try: n = 0, 1, 7; x = -1.5, nan     inputs of the native runs, every combination of them
    only: n = 0 .. 8                    what an input ranges over while it is explored; else what its type allows
    window: 12                          the window of agency
    paths: 1                            how many paths there are, where that is the point
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.native.native_replayer import NativeReplayer
from soid.engine.llvm.symbolic.explorer import ExplorationLimits
from soid.engine.llvm.variables.discovery import discover
from soid.engine.protocol import Exploration
from soid.engine.summary import Decided, Failed, PathSummary, Undecided, Unexplored
from soid.formula import build
from soid.formula.checker import Checker
from soid.formula.term import Term
from soid.program.domain import DEFAULT, Range, formula
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, parse
from soid.witness.replay_comparison import Confirmed, compare
from tests.differential.engine_runs import FAULTS
from tests.differential.generator import GeneratedProgram, Mode, PortKind, Vector, generate
from tests.differential.generator.model import Port
from tests.differential.generator.native import NativeRun, same_outputs
from tests.differential.generator.scalars import BOOL, DOUBLE, FLOAT, HALF, CType, TypeKind

FOLDER = Path(__file__).with_name("programs")

#: failures that no trap of the compiler stands for
UNTRAPPED = (
    "out-of-bounds access",  # through a bare pointer, or on the heap
    "null dereference",  # nor does the plain build always crash
    "use after free",
    "use of a local variable after its function returned",
    "double free",
    "free of what was not allocated",
    "write to constant memory",
    "copy between overlapping memory",
    "difference of pointers that is no whole number of elements",
    "an uninitialised value",
    "call through a null pointer",
    "longjmp into a function that has returned",
    "exit",
)


@dataclass(frozen=True, slots=True)
class Feature:
    """A C file with what its comment says."""

    path: Path
    text: str
    tries: Mapping[str, tuple[str, ...]]
    ranges: Mapping[str, tuple[str, str]]
    window: int | None
    paths: int | None

    @property
    def name(self) -> str:
        return self.path.stem


def features() -> list[Feature]:
    """All of them, by name."""
    return [read(path) for pattern in ("*.c", "*.cpp") for path in sorted(FOLDER.glob(pattern))]


def read(path: Path) -> Feature:
    text = path.read_text(encoding="utf-8")
    tries = {name: tuple(re.split(r",\s*", values)) for name, values in _entries(text, "try")}
    ranges = {}
    for name, values in _entries(text, "only"):
        low, high = re.split(r"\s*\.\.\s*", values)
        ranges[name] = (low, high)
    window, paths = (re.search(rf"^ \* {key}: (\d+)", text, re.MULTILINE) for key in ("window", "paths"))
    return Feature(path, text, tries, ranges, int(window[1]) if window else None, int(paths[1]) if paths else None)


def _entries(text: str, key: str) -> list[tuple[str, str]]:
    lines = re.findall(rf"^ \* {key}: (.+)$", text, re.MULTILINE)
    return [
        (name.strip(), values.strip()) for line in lines for name, values in (e.split("=") for e in line.split(";"))
    ]


@dataclass(frozen=True, slots=True)
class Explored:
    """A feature's program and its paths."""

    feature: Feature
    interface: Interface
    engine: LlvmEngine
    summary: PathSummary


def explore(feature: Feature, check: Checker) -> Explored:
    """Every path of the program: what the log would give is free, what it remembers starts as C starts it."""
    found = discover(CSource((Path(feature.path.name),), "decide"), feature.path.parent)
    return _explored(
        feature, LlvmEngine(found.interface, found.loaded, ExplorationLimits(window=feature.window)), check
    )


def again(explored: Explored, check: Checker) -> Explored:
    """The same, once more, by an engine that has seen nothing yet."""
    engine = explored.engine
    return _explored(explored.feature, LlvmEngine(engine.interface, engine.loaded, engine.limits), check)


def _explored(feature: Feature, engine: LlvmEngine, check: Checker) -> Explored:
    interface = engine.interface
    fixed = {v.path: v.initial for v in interface.inputs if v.initial is not None}
    precondition = build.all_of(_domain(feature, v) for v in interface.inputs if v.path not in fixed)
    exploration = Exploration(fixed, precondition, check, UNLIMITED.started(), Cancellation())
    return Explored(feature, interface, engine, engine.explore(exploration))


def replayed(explored: Explored) -> list[str]:
    """A feature in C++, run as its witnesses would be: where the paths and the compiled program differ, in words."""
    interface, feature = explored.interface, explored.feature
    tried = {path: [parse(interface.variable(path).type, t) for t in texts] for path, texts in feature.tries.items()}
    fixed = {v.path: v.initial for v in interface.inputs if v.initial is not None}
    replayer = NativeReplayer(explored.engine.loaded, interface)
    found = []
    for values in product(*tried.values()):
        inputs = {**fixed, **dict(zip(tried, values, strict=True))}
        run = explored.summary.run({v.symbol: inputs[v.path] for v in interface.inputs if v.path not in fixed})
        said = compare(run, inputs, interface, replayer)
        if not isinstance(said, Confirmed):
            found.append(f"{inputs}: {run.path.ending}, {said}")
    return found


def _domain(feature: Feature, variable: Variable) -> Term:
    said = feature.ranges.get(variable.path)
    domain = Range(*(parse(variable.type, text) for text in said)) if said else DEFAULT
    return formula(variable.type, domain, variable.symbol)


# --- native -----------------------------------------------------------------------------------------------------


def native(explored: Explored) -> GeneratedProgram:
    """The program as the native runs take it, with a vector for each combination of the inputs to try."""
    feature, interface = explored.feature, explored.interface
    returns, parameters = _prototype(feature.text)
    inputs = tuple(_port(v, parameters) for v in interface.inputs)
    written = [_port(v, parameters) for v in interface.variables if v.role in (Role.DECISION, Role.STATE)]
    outputs = tuple(port for port in written if port.access)
    tried = {
        path: tuple(parse(interface.variable(path).type, t) for t in texts) for path, texts in feature.tries.items()
    }
    fixed = {v.path: v.initial for v in interface.inputs if v.initial is not None}
    missing = {v.path for v in interface.inputs} - tried.keys() - fixed.keys()
    assert not missing, f"{feature.name}: nothing to try for {', '.join(missing)}"
    vectors: tuple[Vector, ...] = tuple(
        {**fixed, **dict(zip(tried, values, strict=True))} for values in product(*tried.values())
    )
    arguments = ", ".join(f"&arg_{name}" if pointer else f"arg_{name}" for name, _, pointer in parameters)
    call = f"decide({arguments});"
    return replace(
        generate(0, Mode.FAULTY),
        source=f"{feature.text}#include <string.h>\n",  # for the wrapper; last, so that lines keep their numbers
        symbols=(),
        arguments=" ".join(f"{kind} arg_{name};" for name, kind, _ in parameters),
        call=call if returns == "void" else f"{returns} result_value = {call}",
        inputs=inputs,
        outputs=outputs,
        vectors=vectors,
        domains={},
    )


def _prototype(text: str) -> tuple[str, list[tuple[str, str, bool]]]:
    """What the entry returns; name, type and whether it is a pointer, of each parameter."""
    found = re.search(r"^([\w ]+) decide\(([^)]*)\)", text, re.MULTILINE)
    assert found is not None, "no entry"
    parameters = []
    for part in found[2].split(","):
        declared = re.fullmatch(r"\s*(?:const )?([\w ]+?) ?(\*?)(\w+)\s*", part)
        if declared is not None and declared[3] != "void":
            parameters.append((declared[3], declared[1], bool(declared[2])))
    return found[1], parameters


def _port(variable: Variable, parameters: list[tuple[str, str, bool]]) -> Port:
    path = variable.path.removeprefix("*")
    root = re.split(r"[.\[]", path)[0]
    if path == "return" or path.startswith("return."):
        access, kind = "result_value" + path.removeprefix("return"), PortKind.RETURN
    elif root in (name for name, _, _ in parameters):
        access, kind = f"arg_{path}", PortKind.ENVIRONMENT
    elif re.search(rf"\b{root}\(", path) or "." in path:
        access, kind = "", PortKind.LOCAL_STATIC
    else:
        access, kind = path, PortKind.GLOBAL
    return Port(variable.path, _ctype(variable), kind, access)


def _ctype(variable: Variable) -> CType:
    match variable.type:
        case BoolType():
            return BOOL
        case IntType(width, signed) | EnumType(_, width, signed, _):
            return CType(f"{'' if signed else 'u'}int{width}_t", TypeKind.INT, width, signed)
        case FloatType(format):
            return {16: HALF, 32: FLOAT, 64: DOUBLE}[format.width]


def disagreement(explored: Explored, program: GeneratedProgram, vector: Vector, run: NativeRun) -> str:
    """Where the paths and the native run differ; what the engine did not explore agrees with everything."""
    interface = explored.interface
    state = {v.symbol: vector[v.path] for v in interface.inputs}
    way = explored.summary.run(state)
    told = f"{dict(vector)}: {way.path.ending}, natively {run.fault or 'decides'}"
    match way.path.ending:
        case Unexplored() | Undecided():
            return ""
        case Failed(kind):
            if run.fault in FAULTS.get(kind, frozenset()) or kind.startswith(UNTRAPPED):
                return ""
            return told
        case Decided():
            outputs = {}
            for port in program.outputs:
                variable = interface.variable(port.path)
                name = f"{variable.path}'" if variable.role is Role.STATE else variable.path
                if name in way.outputs:
                    outputs[port.path] = int(way.outputs[name])
            known = replace(program, outputs=tuple(port for port in program.outputs if port.path in outputs))
            if run.outputs is None or not same_outputs(known, outputs, run.outputs):
                return f"{told}: {outputs}, not {run.outputs}"
    return ""
