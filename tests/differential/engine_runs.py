"""Generated programs as the engine has them: many in one compilation, explored vector by vector or over a family.

batch = open_batch([generate(s, Mode.SAFE) for s in range(50)], scratch_folder)
batch[0].run(program.vectors[3])     Outcome(Decided(), {'out.brake': 0x3F800000})
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.compile import Build, compile_ir
from soid.engine.llvm.debuginfo import DebugInfo
from soid.engine.llvm.engine import LlvmEngine
from soid.engine.llvm.ir import Module
from soid.engine.llvm.places import entry_function, find_places
from soid.engine.llvm.program import LoadedProgram
from soid.engine.llvm.read import read_module
from soid.engine.protocol import Exploration
from soid.engine.summary import Decided, Ending, Failed, PathSummary
from soid.engine.summary import Path as Way
from soid.formula.build import TRUE
from soid.formula.checking import Checker, Possible
from soid.formula.term import Term
from soid.program.domain import AnyBits, Domain, Values
from soid.program.interface import Interface, Role, Variable
from tests.differential.generator import GeneratedProgram, PortKind, Vector
from tests.differential.generator.model import Port
from tests.differential.generator.native import Fault, NativeRun, same_outputs

_ROLES = {
    PortKind.ENVIRONMENT: Role.ENVIRONMENT,
    PortKind.PARAMETER: Role.ENVIRONMENT,
    PortKind.STATE: Role.STATE,
    PortKind.GLOBAL: Role.STATE,
    PortKind.FILE_STATIC: Role.STATE,
    PortKind.LOCAL_STATIC: Role.STATE,
}

#: what the trapping build may call a failure of this kind
FAULTS: Mapping[str, frozenset[Fault]] = {
    "signed overflow": frozenset({Fault.OVERFLOW, Fault.DIVISION}),  # the least number by -1 is both
    "division by zero": frozenset({Fault.DIVISION}),
    "shift out of range": frozenset({Fault.SHIFT}),
    "out-of-bounds access": frozenset({Fault.BOUNDS}),
    "float-to-integer conversion out of range": frozenset({Fault.FLOAT_CAST}),
    "null dereference": frozenset({Fault.NULL}),
    "failed assertion": frozenset({Fault.ASSERT}),
    "abort": frozenset({Fault.ABORT}),
    "undefined operation in a constant expression": frozenset(
        {Fault.OVERFLOW, Fault.DIVISION, Fault.SHIFT, Fault.FLOAT_CAST}
    ),
    "variable-length array of a length that no stack holds": frozenset({Fault.UNDEFINED}),
    "counting the leading or trailing zeros of 0": frozenset({Fault.UNDEFINED}),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the engine says of one vector."""

    ending: Ending
    outputs: Mapping[str, int]  # bits by port, of those that have a value


@dataclass(frozen=True, slots=True)
class Opened:
    """One program of a batch."""

    program: GeneratedProgram
    interface: Interface
    engine: LlvmEngine
    names: Mapping[str, str]  # from a port's path to the variable's

    def explore(self, fixed: Mapping[str, int], precondition: Term, check: Checker) -> PathSummary:
        """The paths under a precondition; `fixed` goes by port."""
        bits = {self.names[path]: value for path, value in fixed.items() if path in self.names}
        return self.engine.explore(Exploration(bits, precondition, check, UNLIMITED.started(), Cancellation()))

    def run(self, vector: Vector) -> Outcome:
        """The one path of a vector."""
        summary = self.explore(vector, TRUE, lambda _: Possible({}))
        assert len(summary.paths) == 1, f"{self.program.name}: {len(summary.paths)} paths for one vector"
        return self.outcome(summary.paths[0], {})

    def outcome(self, way: Way, state: Mapping[Term, int]) -> Outcome:
        """What a path gives on one state."""
        run = PathSummary((way,)).run(state)
        found = {}
        for port in self.program.outputs:
            variable = self.interface.variable(self.names[port.path])
            name = f"{variable.path}'" if variable.role is Role.STATE else variable.path
            if name in run.outputs:
                found[port.path] = int(run.outputs[name])
        return Outcome(way.ending, found)


def open_batch(programs: Sequence[GeneratedProgram], folder: Path) -> list[Opened]:
    """Compile the programs into one module, and make an engine for each."""
    source = folder / "explored.c"
    source.write_text(_source(programs), encoding="utf-8")
    build = Build((source,))
    module = read_module(compile_ir(build).text)
    debug = DebugInfo(module)
    return [_opened(program, number, build, module, debug) for number, program in enumerate(programs)]


def _source(programs: Sequence[GeneratedProgram]) -> str:
    lines: list[str] = []
    for number, program in enumerate(programs):
        lines += [f"#define {name} p{number}_{name}" for name in program.symbols]
        lines += [f'#line 1 "{program.name}.c"', program.source]
        lines += [f"#undef {name}" for name in program.symbols]
    return "\n".join(lines) + "\n"


def _opened(program: GeneratedProgram, number: int, build: Build, module: Module, debug: DebugInfo) -> Opened:
    name, info = entry_function(module, debug, f"p{number}_{program.entry}")
    places = find_places(module, debug, name, {})
    loaded = LoadedProgram(build, module, debug, module.functions[name], info, places)
    types = {place.path: place.type for place in places.places}
    names = {port.path: _name(port, number) for port in (*program.inputs, *program.outputs)}
    # The compiler leaves out a static function that nobody calls, and its statics with it.
    names = {path: name for path, name in names.items() if name in types}
    variables = tuple(
        Variable(names[path], role, types[names[path]], domain) for path, role, domain in _variables(program, names)
    )
    interface = Interface(variables)
    return Opened(program, interface, LlvmEngine(interface, loaded), names)


def _name(port: Port, number: int) -> str:
    shared = port.kind in (PortKind.GLOBAL, PortKind.FILE_STATIC, PortKind.LOCAL_STATIC)
    return f"p{number}_{port.path}" if shared else port.path


def _variables(program: GeneratedProgram, names: Mapping[str, str]) -> Iterator[tuple[str, Role, Domain]]:
    outputs = {port.path for port in program.outputs}
    for port in program.inputs:
        if port.path in names:
            role = Role.STATE if port.path in outputs else _ROLES[port.kind]
            domain = program.domains.get(port.path)
            yield port.path, role, Values(domain) if domain is not None else AnyBits()
    inputs = {port.path for port in program.inputs}
    for port in program.outputs:
        if port.path not in inputs:
            yield port.path, Role.DECISION, AnyBits()


def disagreement(program: GeneratedProgram, vector: Vector, engine: Outcome, native: NativeRun) -> str:
    """Where the engine and the compiled program differ, in words; empty where they agree."""
    told = f"{program.name} on {dict(vector)}: the engine says {engine.ending}, the program "
    match engine.ending:
        case Failed(kind, where):
            if native.fault is None:
                return f"{told} decides"
            if native.fault not in FAULTS.get(kind, frozenset()):
                return f"{told} has {native.fault}"
            if where is None or not where.file.endswith(f"{program.name}.c"):
                return f"{told} has {native.fault} at another place"
        case Decided():
            if native.fault is not None or native.outputs is None:
                return f"{told} has {native.fault}"
            missing = [port.path for port in program.outputs if port.path not in engine.outputs]
            if missing:
                return f"{told} decides; without a value are {', '.join(missing)}"
            if not same_outputs(program, engine.outputs, native.outputs):
                return f"{told} decides otherwise: {_differences(engine.outputs, native.outputs)}"
        case _:
            return f"{told} {native.fault or 'decides'}"
    return ""


def _differences(engine: Mapping[str, int], native: Mapping[str, int]) -> str:
    return ", ".join(f"{p} {engine[p]:#x}, not {native[p]:#x}" for p in engine if engine[p] != native[p])
