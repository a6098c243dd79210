"""Random programs: a replay gives what the same program gives when a test harness of its own runs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from soid.engine.llvm.compiler.compilation import Build
from soid.engine.llvm.loaded_program import load
from soid.engine.llvm.native.native_replayer import NativeReplayer
from soid.engine.replay import Crashed, Returned, Trapped
from soid.program.interface import Interface, Role, Variable
from tests.differential.generator import native
from tests.differential.generator.model import GeneratedProgram, Mode
from tests.differential.generator.native import Fault, NativeRun
from tests.differential.generator.program import generate

TRAPS = {
    Fault.OVERFLOW: "signed overflow",
    Fault.DIVISION: "division by zero",
    Fault.SHIFT: "shift out of range",
    Fault.FLOAT_CAST: "float-to-integer conversion out of range",
    Fault.NULL: "null dereference",
    Fault.ASSERT: "failed assertion",
}


def _replayer(program: GeneratedProgram, folder: Path) -> NativeReplayer:
    (folder / f"{program.name}.c").write_text(program.source)
    loaded = load(Build((Path(f"{program.name}.c"),), root=folder), program.entry)
    read, written = {port.path for port in program.inputs}, {port.path for port in program.outputs}
    roles = {path: Role.STATE if path in written else Role.ENVIRONMENT for path in read}
    roles |= dict.fromkeys(written - read, Role.DECISION)
    places = [place for place in loaded.places.places if place.path in roles]
    return NativeReplayer(loaded, Interface(tuple(Variable(p.path, roles[p.path], p.type) for p in places)))


def _native(programs: Sequence[GeneratedProgram], folder: Path) -> Iterator[list[NativeRun]]:
    """Each vector's run: a fault that the trapping build sees, otherwise the outputs of the plain one."""
    trapping = native.compile_programs(programs, native.Build.TRAPPING, folder)
    trapped = trapping.run([(number, program.vectors) for number, program in enumerate(programs)])
    fine = [
        [vector for vector, run in zip(program.vectors, runs, strict=True) if run.fault is None]
        for program, runs in zip(programs, trapped, strict=True)
    ]
    plain = native.compile_programs(programs, native.Build.PLAIN, folder).run(list(enumerate(fine)))
    for runs, outputs in zip(trapped, plain, strict=True):
        left = iter(outputs)
        yield [run if run.fault is not None else next(left) for run in runs]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [5, pytest.param(12, marks=pytest.mark.soak)])  # executables, slow to build
def test_replays_of_safe_programs_equal_native_runs(count: int, tmp_path: Path) -> None:
    programs = [generate(seed, Mode.SAFE) for seed in range(count)]
    for program, runs in zip(programs, _native(programs, tmp_path), strict=True):
        replayer = _replayer(program, tmp_path)
        for vector, run in zip(program.vectors, runs, strict=True):
            replayed = replayer.replay(vector)
            assert isinstance(replayed, Returned) and run.outputs is not None, program.describe()
            outputs = {name.removesuffix("'"): bits for name, bits in replayed.outputs.items()}
            assert native.same_outputs(program, outputs, run.outputs), program.describe()


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [8, pytest.param(12, marks=pytest.mark.soak)])
def test_failing_vectors_trap_and_others_do_not(count: int, tmp_path: Path) -> None:
    programs = [generate(seed, Mode.FAULTY) for seed in range(count)]
    seen: Counter[Fault] = Counter()
    for program, runs in zip(programs, _native(programs, tmp_path), strict=True):
        replayer = _replayer(program, tmp_path)
        for vector, run in zip(program.vectors, runs, strict=True):
            replayed = replayer.replay_failure(vector)
            if run.fault is None:
                assert isinstance(replayed, Returned), program.describe()
            elif run.fault in TRAPS:
                assert isinstance(replayed, Trapped) and replayed.kind == TRAPS[run.fault], program.describe()
            elif run.fault is Fault.ABORT:
                assert isinstance(replayed, Crashed), program.describe()
            seen.update([run.fault] if run.fault else [])
    assert len(seen) >= 5
