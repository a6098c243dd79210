"""Random programs, whose generator knows what it meant each variable to be: is that what the analysis finds?

It may find less. An input that no statement happens to use has no role, and state that is overwritten before it is
read is a decision; a run with nothing but the found inputs must then decide the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.variables.roles import examine, roles_of
from soid.engine.summary import PathSummary
from soid.formula.build import TRUE
from soid.formula.checker import Possible
from soid.program.interface import Interface, Role, Variable
from tests.differential.engine_runs import Opened, open_batch
from tests.differential.generator import GeneratedProgram, Mode, PortKind, Vector, generate

_LESS: Mapping[Role, frozenset[Role | None]] = {
    Role.DECISION: frozenset({Role.DECISION}),
    Role.ENVIRONMENT: frozenset({Role.ENVIRONMENT, None}),
    Role.STATE: frozenset({Role.STATE, Role.ENVIRONMENT, Role.DECISION, None}),
}


def _meant(program: GeneratedProgram) -> Mapping[str, Role]:
    inputs, outputs = ({port.path for port in ports} for ports in (program.inputs, program.outputs))
    kept = {port.path for port in program.inputs if port.kind is PortKind.LOCAL_STATIC}
    meant = {path: Role.STATE if path in outputs | kept else Role.ENVIRONMENT for path in inputs}
    return {**meant, **dict.fromkeys(outputs - inputs, Role.DECISION)}


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(Mode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("seeds", [range(25), pytest.param(range(25, 50), marks=pytest.mark.soak)], ids=str)
def test_roles_of_random_programs(tmp_path: Path, mode: Mode, seeds: range) -> None:
    for opened in open_batch([generate(seed, mode) for seed in seeds], tmp_path):
        program, loaded = opened.program, opened.engine.loaded
        roles = roles_of(loaded, examine(loaded))
        for path, meant in _meant(program).items():
            assert roles.get(opened.names.get(path, "")) in _LESS[meant], f"{program.name}: {path}"
        types = {place.path: place.type for place in loaded.places.places}
        interface = Interface(tuple(Variable(path, role, types[path]) for path, role in roles.items()))
        _same_decisions(opened, interface, program.vectors[:2])


def _same_decisions(opened: Opened, interface: Interface, vectors: tuple[Vector, ...]) -> None:
    found = Opened(opened.program, interface, LlvmEngine(interface, opened.engine.loaded), opened.names)
    known = {output.name for output in interface.outputs}
    for vector in vectors:
        one, other = (each.explore(vector, TRUE, lambda _: Possible({})) for each in (opened, found))
        runs = [PathSummary(summary.paths).run({}) for summary in (one, other)]
        assert runs[0].path.ending == runs[1].path.ending, f"{opened.program.name} on {dict(vector)}"
        for name, value in runs[0].outputs.items():
            bare = name.removesuffix("'")
            if bare in interface and (name in known or bare in known):
                assert runs[1].outputs[name if name in known else bare] == value, f"{opened.program.name}: {name}"
