"""A question for others: the harness says what the question says."""

from __future__ import annotations

import ctypes
import itertools
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from soid.bench.peer_harness import NATIVE, PROPERTY, harness, verdict
from soid.bench.peers import QUESTIONS, FreedGroup, put_to_others
from soid.case.project import Project
from soid.engine.llvm.compiler.compilation import Build, compile_native
from soid.errors import InputError
from soid.examples import folder
from soid.program.domain import Values, contains
from soid.query.query import QueryKind
from soid.scenario.family import Family

ENTRY_CALL = ("struct world world; struct memory memory;", "drive(&world, &memory);")
ENTRY = ("car.c", *ENTRY_CALL)

#: free values come from a list; the stand-in keeps whether all assumptions held, and what was asserted
STANDING_IN = """\
unsigned words[4];
static int at;
int assumed = 1, asserted = -1;
unsigned nondet_unsigned(void) { return words[at++]; }
void __CPROVER_assume(int condition) { assumed = assumed && condition; }
void __CPROVER_assert(int condition, const char *name) { asserted = !!condition; at = 0; }
"""

Run = Callable[..., tuple[bool, bool]]


@pytest.fixture(scope="module")
def standard() -> Project:
    return Project.open(folder("crash") / "standard")


def written(project: Project, text: str) -> str:
    query = project.checked(text).query
    return harness(query, Family(project.program.interface, project.keyframe.inputs, query.suppositions), *ENTRY)


def compiled(text: str, scratch: Path) -> Run:
    """The harness, to be run on given words: whether they are of the family, and whether the assertion holds."""
    (scratch / "harness.c").write_text(NATIVE + text)
    (scratch / "standing_in.c").write_text(STANDING_IN)
    build = Build((Path("harness.c"), Path("standing_in.c")), defines=("DRIVER_STANDARD",), root=scratch)
    library = ctypes.CDLL(str(compile_native(build)))

    def run(*words: int) -> tuple[bool, bool]:
        assumed = ctypes.c_int.in_dll(library, "assumed")
        assumed.value = 1
        (ctypes.c_uint * 4).in_dll(library, "words")[: len(words)] = list(words)
        library.main()
        return bool(assumed.value), bool(ctypes.c_int.in_dll(library, "asserted").value)

    return run


def test_a_harness_has_fact_family_and_behavior(standard: Project) -> None:
    text = written(standard, "would move if world.agents[1].signal is anything and 1.0 <= world.agents[1].x <= 1.5")
    lines = [line.strip() for line in text.splitlines()]
    x = float.fromhex(next(line for line in lines if line.startswith("world.agents[0].x = "))[20:-2])
    assert x == pytest.approx(2.19375)
    assert "world.agents[1].signal = nondet_unsigned();" in lines and "world.agents[1].x = nondet_float();" in lines
    assert any("signal == STRAIGHT) | " in line and line.startswith("__CPROVER_assume(") for line in lines)
    low, high = "0x1.0000000000000p+0f <= world.agents[1].x", "world.agents[1].x <= 0x1.8000000000000p+0f"
    assert f"__CPROVER_assume(({low}) & ({high}));" in lines
    assert any("*(unsigned *)&world.agents[1].x != 0x" in line and "signal != 2" in line for line in lines)
    assert lines[-3:] == ["drive(&world, &memory);", f'__CPROVER_assert(move, "{PROPERTY}");', "}"]


def test_a_might_asserts_the_opposite(standard: Project) -> None:
    text = written(standard, "might not move if world.agents[1].signal in {STRAIGHT, LEFT}")
    assert f'__CPROVER_assert(!(!(move)), "{PROPERTY}");' in text
    assert "signal == STRAIGHT) | (world.agents[1].signal == LEFT)" in text
    assert [verdict(kind, holds) for kind in (QueryKind.WOULD, QueryKind.MIGHT) for holds in (True, False)] == [
        "yes",
        "no",
        "no",
        "yes",
    ]


def test_what_is_supposed_to_have_one_value_is_assigned(standard: Project) -> None:
    text = written(standard, "would move if world.agents[1].signal is anything and world.agents[1].x == 1.25")
    assert "world.agents[1].x = 0x1.4000000000000p+0f;" in text and "nondet_float()" not in text.split("main")[1]


@pytest.mark.parametrize(
    "text",
    [
        "did move",
        "would move if world.agents[1].x within 0.1 of fact",
        "might fails if world.agents[1].signal is anything",
        "might memory.waited' > 3 if world.agents[1].signal is anything",
        "would move if world.agents[1].x + 1.0 < 2.0",
    ],
)
def test_what_cannot_be_written_is_refused(standard: Project, text: str) -> None:
    with pytest.raises(InputError, match="cannot be written as a harness"):
        written(standard, text)


@pytest.mark.parametrize("place", [place for group, place in QUESTIONS if group is FreedGroup.SIGNAL])
def test_a_harness_run_on_every_signal_says_what_soid_proves(standard: Project, place: int, tmp_path: Path) -> None:
    assert standard.manifest is not None
    question = standard.manifest.questions[place]
    put = put_to_others(standard, folder("crash") / "standard", question, tmp_path)
    run = compiled(put.harness, tmp_path)
    held = [holds for assumed, holds in map(run, range(5)) if assumed]
    assert len(held) == (2 if place in (1, 2) else 3)  # the factual signal is left out where nothing else differs
    assert verdict(put.kind, all(held)) == standard.ask(question).verdict.value


def bits_of(*values: float) -> list[int]:
    return [struct.unpack("<I", struct.pack("<f", value))[0] for value in values]


def test_a_harness_takes_the_family_and_nothing_else(standard: Project, tmp_path: Path) -> None:
    question = "would move if world.agents[1].signal is anything and 1.0 <= world.agents[1].x <= 1.5"
    put = put_to_others(standard, folder("crash") / "standard", question, tmp_path)
    assert put.harness.index("x = nondet_float") < put.harness.index("signal = nondet_unsigned")
    run = compiled(put.harness, tmp_path)
    fact = standard.keyframe.inputs["world.agents[1].x"]
    inside = {*bits_of(1.0, 1.25, 1.5), fact}
    outside = bits_of(0.999, 1.501, -1.25, float("nan"), float("inf"))
    for x, signal in itertools.product([*inside, *outside], range(4)):
        expected = x in inside and signal < 3 and (x, signal) != (fact, 2)
        assert run(x, signal)[0] == expected, (hex(x), signal)


def test_what_may_be_anything_stays_in_its_domain(standard: Project, tmp_path: Path) -> None:
    put = put_to_others(standard, folder("crash") / "standard", "would move if world.agents[1].x is anything", tmp_path)
    run = compiled(put.harness, tmp_path)
    variable = standard.program.interface.variable("world.agents[1].x")
    fact = standard.keyframe.inputs[variable.path]
    tried = [fact, fact + 1, *bits_of(0.0, -0.0, -1e-45, 4.095, 4.0950007, 1e30, float("nan"), float("-inf"))]
    assert {run(x)[0] for x in tried} == {True, False}
    for x in tried:
        expected = contains(variable.type, variable.domain, x) and x != fact
        assert run(x)[0] == expected, hex(x)


def test_zeros_are_told_apart_where_values_are_named(standard: Project, tmp_path: Path) -> None:
    query = standard.checked("would move if world.agents[1].x is anything").query
    family = Family(standard.program.interface, standard.keyframe.inputs, query.suppositions)
    family.freed["world.agents[1].x"] = Values(tuple(bits_of(0.0, 1.0)))
    run = compiled(harness(query, family, str(folder("crash") / "car.c"), *ENTRY_CALL), tmp_path)
    assert [run(x)[0] for x in bits_of(0.0, -0.0, 1.0, 2.0)] == [True, False, True, False]
