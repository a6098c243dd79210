"""Generated programs as the engine has them: many in one compilation, explored vector by vector or over a family.

batch = open_batch([generate(s, Mode.SAFE) for s in range(50)], scratch_folder)
batch[0].run(program.vectors[3])     Outcome(Decided(), {'out.brake': 0x3F800000})
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from soid.budget import Budget, Cancellation
from soid.engine.llvm.compiler.compilation import Build, compile_ir
from soid.engine.llvm.debug.debug_info import DebugInfo
from soid.engine.llvm.ir.ir_module import Module
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.loaded_program import LoadedProgram, paired
from soid.engine.llvm.reader.module_reader import read_module
from soid.engine.llvm.variables.variable_layout import entry_function, find_places
from soid.engine.protocol import Exploration
from soid.engine.summary import Decided, Ending, Failed, PathSummary
from soid.engine.summary import Path as Way
from soid.formula.build import TRUE
from soid.formula.checker import Checker, Possible
from soid.formula.term import Term
from soid.program.domain import AnyBitsDomain, Domain, Values
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


#: for one exploration: what an optimiser makes of undefined behaviour may never end
PATIENCE = Budget(60.0)


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
        return self.engine.explore(Exploration(bits, precondition, check, PATIENCE.started(), Cancellation()))

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


def open_batch(
    programs: Sequence[GeneratedProgram],
    folder: Path,
    level: str = "-O0",
    *,
    suffix: str = ".c",
    flags: tuple[str, ...] = (),
) -> list[Opened]:
    """Compile the programs into one module, and make an engine for each."""
    source = folder / f"explored{suffix}"
    text = _source(programs, optimised=level != "-O0")
    source.write_text(text, encoding="utf-8")
    build = Build((source,), flags=(*flags, level))
    written = _read(Build((source,), flags=(*flags, "-O0")), text)
    module = written if level == "-O0" else _read(build, text)
    return [_opened(program, number, build, module, written) for number, program in enumerate(programs)]


@lru_cache(maxsize=2)
def _read(build: Build, text: str) -> tuple[Module, DebugInfo]:
    """The module of that text; what was written is read once where a batch is opened at one level after the other."""
    module = read_module(compile_ir(build).text)
    return module, DebugInfo(module)


def optimisable(program: GeneratedProgram) -> bool:
    """Whether what an optimiser may take for granted of the program's variables is so when soid sets them.

    Of a static variable it knows every place where it is written. File-scope ones are made visible to others here;
    those inside functions cannot be.
    """
    return not any(port.kind is PortKind.LOCAL_STATIC for port in (*program.inputs, *program.outputs))


def _source(programs: Sequence[GeneratedProgram], *, optimised: bool) -> str:
    lines: list[str] = []
    for number, program in enumerate(programs):
        lines += [f"#define {name} p{number}_{name}" for name in program.symbols]
        text = _visible(program) if optimised else program.source
        lines += [f'#line 1 "{program.name}.c"', text]
        lines += [f"#undef {name}" for name in program.symbols]
    return "\n".join(lines) + "\n"


def _visible(program: GeneratedProgram) -> str:
    """The program with its static variables made visible to others."""
    text = program.source
    for port in (*program.inputs, *program.outputs):
        if port.kind is PortKind.FILE_STATIC:
            name = re.split(r"[.\[]", port.path)[0]
            text = re.sub(rf"^static (.*\b{name}\b)", r"\1", text, flags=re.MULTILINE)
    return text


def _opened(
    program: GeneratedProgram,
    number: int,
    build: Build,
    explored: tuple[Module, DebugInfo],
    written: tuple[Module, DebugInfo],
) -> Opened:
    module, debug = written
    entry = f"p{number}_{program.entry}"
    name, info = entry_function(module, debug, entry)
    places = find_places(module, debug, name, {})
    loaded = LoadedProgram(build.unoptimised(), module, debug, module.functions[name], info, places)
    if explored is not written:
        loaded = paired(build, *explored, loaded, entry, {})
        places = loaded.places
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
            yield port.path, role, Values(domain) if domain is not None else AnyBitsDomain()
    inputs = {port.path for port in program.inputs}
    for port in program.outputs:
        if port.path not in inputs:
            yield port.path, Role.DECISION, AnyBitsDomain()


def disagreement(
    program: GeneratedProgram, vector: Vector, engine: Outcome, native: NativeRun, *, optimised: bool = False
) -> str:
    """Where the engine and the compiled program differ, in words; empty where they agree.

    An optimiser may do as it likes with a program that runs into undefined behaviour, and with no other.
    """
    if optimised and native.fault is not None:
        return ""
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
