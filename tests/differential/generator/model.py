"""What the generator hands out: a program's text, its interface, and the inputs to run it on.

program = generate(7, Mode.SAFE)
program.inputs[0]       Port(path='in.speed', ctype=float, kind=ENVIRONMENT, access='arg_in.speed')
program.vectors[0]      {'in.speed': 0x3F800000, ...}       raw bits for each input
program.domains         {'in.mode': (0, 1, 2)}              free inputs for brute force
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import product

from .scalars import CType, TypeKind, value_of

__all__ = ["GeneratedProgram", "Mode", "Port", "PortKind", "Vector"]

Vector = Mapping[str, int]


class Mode(Enum):
    """How a program treats undefined behaviour."""

    SAFE = "safe"  # none, by construction
    FAULTY = "faulty"  # some guards are left out, so that some inputs fail


class PortKind(Enum):
    """Where a leaf of the interface lives, and which way it flows."""

    ENVIRONMENT = "environment"  # field behind a pointer parameter, only read
    STATE = "state"  # field behind a pointer parameter, read and written
    PARAMETER = "parameter"  # scalar parameter
    GLOBAL = "global"  # global with external linkage: input, and also state where it is among the outputs
    FILE_STATIC = "file_static"  # mutable file-scope static: state
    LOCAL_STATIC = "local_static"  # static of a function, path function.name: always starts at its initialiser
    DECISION = "decision"  # field behind a pointer parameter, only written
    OUT_PARAMETER = "out_parameter"  # *p of a scalar pointer parameter, only written: path *p
    RETURN = "return"  # the entry's return value: path return


@dataclass(frozen=True, slots=True)
class Port:
    """One scalar leaf of the interface."""

    path: str  # as a C programmer writes it, with dots: in.pos.x, st.hist[2], g_mode, *cmd, return
    ctype: CType
    kind: PortKind
    access: str  # how the native harness reaches it; empty where it cannot


@dataclass(frozen=True, slots=True)
class GeneratedProgram:
    """One random program with all that is needed to run it natively and symbolically."""

    seed: int
    mode: Mode
    source: str
    entry: str
    prototype: str  # of the entry, for people
    symbols: tuple[str, ...]  # every file-scope name, so that many programs can share a translation unit
    arguments: str  # C declarations of the objects that the harness passes to the entry
    call: str  # C statement that calls the entry with them
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    vectors: tuple[Vector, ...]
    domains: Mapping[str, tuple[int, ...]]  # for brute force: raw bits by path, at most 64 combinations
    features: frozenset[str]
    fault_sites: tuple[str, ...]  # kind of each guard left out; empty in SAFE mode

    @property
    def name(self) -> str:
        """A name fit for a file or a test id."""
        return f"{self.mode.value}_{self.seed}"

    def family(self) -> Iterator[Vector]:
        """The brute-force family: the first vector with the free inputs ranging over their small domains."""
        for values in product(*self.domains.values()):
            yield {**self.vectors[0], **dict(zip(self.domains, values, strict=True))}

    def describe(self) -> str:
        """The program for a person: interface, free inputs, features, source."""
        lines = [f"seed {self.seed}, {self.mode.value}: {self.prototype}"]
        lines += [f"  reads  {p.path}: {p.ctype.name} ({p.kind.value})" for p in self.inputs]
        lines += [f"  writes {p.path}: {p.ctype.name} ({p.kind.value})" for p in self.outputs]
        types = {p.path: p.ctype for p in self.inputs}
        for path, values in self.domains.items():
            lines.append(f"  free   {path} in {', '.join(_shown(types[path], v) for v in values)}")
        lines.append(f"  {len(self.vectors)} vectors; features: {', '.join(sorted(self.features))}")
        if self.fault_sites:
            lines.append(f"  guards left out: {', '.join(self.fault_sites)}")
        return "\n".join([*lines, "", self.source])


def _shown(ctype: CType, bits: int) -> str:
    value = value_of(ctype, bits)
    if ctype.kind is TypeKind.ENUM and value in ctype.values:
        return ctype.labels[ctype.values.index(int(value))]
    return repr(value)
