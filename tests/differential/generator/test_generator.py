"""The generator keeps its promises: deterministic, safe where it says so, faulty where it should be, and varied."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.differential.generator.coverage import EXPECTED, fault_shares, feature_shares
from tests.differential.generator.model import GeneratedProgram, Mode, Port, PortKind
from tests.differential.generator.native import Build, Fault, NativeRun, compile_programs, run_programs, same_outputs
from tests.differential.generator.program import generate
from tests.differential.generator.scalars import DOUBLE, INT32, bits_of, is_nan_bits, value_of
from tests.differential.generator.vectors import MOST_STATES

SEEDS = range(25)


@pytest.fixture(scope="module")
def safe() -> list[GeneratedProgram]:
    return [generate(seed, Mode.SAFE) for seed in SEEDS]


def _both_builds(programs: list[GeneratedProgram], folder: Path) -> list[tuple[list[NativeRun], list[NativeRun]]]:
    requests = [(number, program.vectors) for number, program in enumerate(programs)]
    builds = [compile_programs(programs, build, folder).run(requests) for build in (Build.TRAPPING, Build.PLAIN)]
    return list(zip(*builds, strict=True))


@pytest.mark.parametrize("mode", list(Mode))
def test_the_same_seed_gives_the_same_program(mode: Mode) -> None:
    assert [generate(seed, mode) for seed in range(10)] == [generate(seed, mode) for seed in range(10)]
    assert generate(1, mode).source != generate(2, mode).source


def test_safe_programs_never_trap_and_the_builds_agree(safe: list[GeneratedProgram], tmp_path: Path) -> None:
    for program, (trapped, plain) in zip(safe, _both_builds(safe, tmp_path), strict=True):
        for checked, run in zip(trapped, plain, strict=True):
            assert checked.fault is None and run.fault is None, program.describe()
            assert checked.outputs is not None and run.outputs is not None
            assert same_outputs(program, checked.outputs, run.outputs), program.describe()


def test_half_precision_programs_run(tmp_path: Path) -> None:
    programs = [generate(seed, Mode.SAFE, half=True) for seed in range(6)]
    assert any("_Float16" in program.source for program in programs)
    for trapped, plain in _both_builds(programs, tmp_path):
        assert all(run.fault is None for run in (*trapped, *plain))


def test_faulty_programs_fail_on_some_inputs_and_in_many_ways(tmp_path: Path) -> None:
    programs = [generate(seed, Mode.FAULTY) for seed in SEEDS]
    results = run_programs(programs, tmp_path)
    failing = [row for row in results if any(run.fault for run in row)]
    kinds = Counter(run.fault for row in results for run in row if run.fault)
    fine = sum(run.outputs is not None for row in results for run in row)
    assert len(failing) >= len(SEEDS) // 2
    assert len(kinds) >= 5
    assert fine >= 0.2 * sum(len(row) for row in results)


def test_runs_are_deterministic(safe: list[GeneratedProgram], tmp_path: Path) -> None:
    executable = compile_programs(safe[:10], Build.PLAIN, tmp_path)
    requests = [(number, program.vectors) for number, program in enumerate(safe[:10])]
    assert executable.run(requests) == executable.run(requests)


def test_every_port_has_bits_in_every_vector(safe: list[GeneratedProgram]) -> None:
    for program in safe:
        for vector in program.vectors:
            assert set(vector) == {port.path for port in program.inputs}
            assert all(0 <= vector[port.path] < 1 << port.ctype.bits for port in program.inputs)


def test_the_brute_force_family_is_small_and_holds_the_fact(safe: list[GeneratedProgram]) -> None:
    for program in safe:
        states = list(program.family())
        assert 1 <= len(states) <= MOST_STATES
        assert program.vectors[0] in states
        assert 1 <= len(program.domains) <= 3


def test_every_feature_is_common_enough() -> None:
    shares = feature_shares(generate(seed, Mode.SAFE) for seed in range(200))
    assert {name: share for name, share in shares.items() if name in EXPECTED and share < 0.03} == {}
    faults = fault_shares(generate(seed, Mode.FAULTY) for seed in range(120))
    assert len(faults) == 9 and min(faults.values()) >= 0.03


def test_programs_stay_small(safe: list[GeneratedProgram]) -> None:
    lengths = sorted(len(program.source.splitlines()) for program in safe)
    assert lengths[len(lengths) // 2] <= 110 and lengths[-1] <= 220


PROBES = {
    "a + b": Fault.OVERFLOW,
    "a - -b": Fault.OVERFLOW,
    "a * b": Fault.OVERFLOW,
    "-(-a - 1)": Fault.OVERFLOW,
    "a / (b - b)": Fault.DIVISION,
    "(-a - 1) / (b - b - 1)": Fault.DIVISION,
    "a % (b - b)": Fault.DIVISION,
    "(int32_t)(1u << (a & 63))": Fault.SHIFT,
    "b >> a": Fault.SHIFT,
    "local[a & 7]": Fault.BOUNDS,
    "box->cells[a & 7]": Fault.BOUNDS,
    "table[a & 7]": Fault.BOUNDS,
    "table[2 - b]": Fault.BOUNDS,
    "(TRAP_UNLESS((a & 7) < 4), local[0])": Fault.BOUNDS,
    "(int32_t)(x * 1e10)": Fault.FLOAT_CAST,
    "(uint8_t)x": Fault.FLOAT_CAST,
    "(int32_t)(x / 0.0)": Fault.FLOAT_CAST,
    "*(a ? (int32_t *)NULL : local)": Fault.NULL,
    "(a ? (struct box *)NULL : box)->after": Fault.NULL,
    "(assert(a == b), 1)": Fault.ASSERT,
    "(abort(), 1)": Fault.ABORT,
    "x / 0.0 > 1.0": None,
    "(int32_t)((float)(x * 1e300) > 1.0f)": None,
    "(int32_t)(uint8_t)a": None,
    "(int32_t)((uint32_t)a * 3u)": None,
}


def _probe(expression: str) -> GeneratedProgram:
    """A program whose one decision is the expression, called with a = INT32_MAX, b = 100, x = 300."""
    source = "\n".join(
        [
            *(f"#include <{name}.h>" for name in ("assert", "stddef", "stdint", "stdlib", "string")),
            "#ifndef TRAP_UNLESS\n#define TRAP_UNLESS(c) ((void)0)\n#endif",
            "struct box { int32_t before, after; int32_t cells[4]; };",
            "static const int32_t table[5] = { 1, 2, 3, 4, 5 };",
            "int32_t decide(int32_t a, int32_t b, double x) {",
            "    int32_t local[4] = { a, b, 1, 2 }; struct box boxed = { a, b, { 1, 2, 3, 4 } }, *box = &boxed;",
            f"    (void)x; (void)table; (void)local; (void)box; return {expression}; }}",
        ]
    )
    types = {"a": INT32, "b": INT32, "x": DOUBLE}
    inputs = tuple(Port(name, ctype, PortKind.PARAMETER, f"arg_{name}") for name, ctype in types.items())
    vector = {"a": 2**31 - 1, "b": 100, "x": bits_of(DOUBLE, 300.0)}
    return replace(
        generate(0, Mode.FAULTY),
        source=source,
        symbols=("box", "table", "decide"),
        arguments="int32_t arg_a; int32_t arg_b; double arg_x;",
        call="int32_t result_value = decide(arg_a, arg_b, arg_x);",
        inputs=inputs,
        outputs=(Port("return", INT32, PortKind.RETURN, "result_value"),),
        vectors=(vector,),
        domains={},
    )


def test_the_trapping_build_names_each_kind_of_fault(tmp_path: Path) -> None:
    """Holds the sanitizer's trap numbers, and what it does not trap, to the compiler at hand."""
    results = run_programs([_probe(expression) for expression in PROBES], tmp_path)
    found = {expression: row[0].fault for expression, row in zip(PROBES, results, strict=True)}
    assert found == PROBES


def test_bits_and_values_are_each_others_inverse() -> None:
    assert value_of(INT32, bits_of(INT32, -5)) == -5
    assert bits_of(DOUBLE, -0.0) == 1 << 63
    assert is_nan_bits(DOUBLE, bits_of(DOUBLE, float("nan")))
    assert value_of(DOUBLE, bits_of(DOUBLE, 0.1)) == 0.1
