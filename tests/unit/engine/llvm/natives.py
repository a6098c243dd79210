"""C text to a replayer in one call."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from soid.engine.llvm.compiler.compilation import Build
from soid.engine.llvm.loaded_program import LoadedProgram, load
from soid.engine.llvm.native.native_replayer import NativeReplayer
from soid.engine.llvm.native.replay_process import ReplayLimits
from soid.engine.llvm.symbolic.library.external_functions import DescribedFunction
from soid.engine.llvm.variables.variable_layout import RETURN, MemoryRegion
from soid.program.interface import Interface, Role, Variable

LIMITS = ReplayLimits(seconds=60.0)  # on a busy machine replays end in time too


def replayer(
    folder: Path,
    *sources: str,
    decisions: Sequence[str] = (),
    environment: Sequence[str] = (),
    lengths: Mapping[str, int] | None = None,
    feeds: Sequence[DescribedFunction] = (),
    fed: Sequence[Variable] = (),
    limits: ReplayLimits = LIMITS,
    flags: Sequence[str] = (),
) -> NativeReplayer:
    """A replayer for `decide`: what is returned or named is a decision, the rest inputs."""
    names = [Path(f"part{number}.c") for number in range(len(sources))]
    for name, text in zip(names, sources, strict=True):
        (folder / name).write_text(text)
    loaded = load(Build(tuple(names), root=folder, flags=tuple(flags)), "decide", lengths)
    variables = interface(loaded, decisions, environment).variables
    return NativeReplayer(loaded, Interface((*variables, *fed)), feeds, limits=limits)


def interface(loaded: LoadedProgram, decisions: Sequence[str] = (), environment: Sequence[str] = ()) -> Interface:
    """Each place of the program is a variable."""
    regions = loaded.places.regions
    roles = (_role(regions[place.region], place.path, decisions, environment) for place in loaded.places.places)
    places = zip(loaded.places.places, roles, strict=True)
    return Interface(tuple(Variable(place.path, role, place.type) for place, role in places))


def _role(region: MemoryRegion, path: str, decisions: Sequence[str], environment: Sequence[str]) -> Role:
    if path in decisions or region.name == RETURN:
        return Role.DECISION
    return Role.ENVIRONMENT if region.by_value or region.name in environment else Role.STATE


def float32(value: float) -> int:
    return int.from_bytes(struct.pack("<f", value), "little")


def float64(value: float) -> int:
    return int.from_bytes(struct.pack("<d", value), "little")
