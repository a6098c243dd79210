"""Optimised programs: poison is a value, failures come where it is looked at, and the interface stays the program's."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from soid.assumptions import Ledger
from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.ir.instructions import Cast
from soid.engine.llvm.llvm_engine import LlvmEngine, open_c
from soid.engine.llvm.variables.discovery import discover
from soid.engine.protocol import Exploration
from soid.engine.summary import Decided, Failed, PathSummary
from soid.errors import ProgramError
from soid.formula.build import TRUE
from soid.formula.checker import Possible
from soid.program.interface import Interface, Role


def _source(folder: Path, text: str, *flags: str) -> CSource:
    (folder / "p.c").write_text(text)
    return CSource((Path("p.c"),), "decide", flags=flags)


def _run(opened: tuple[Interface, LlvmEngine], **inputs: int) -> PathSummary:
    interface, engine = opened
    bits = {v.path: inputs[v.path] & (1 << v.type.width) - 1 for v in interface if v.is_input}
    return engine.explore(Exploration(bits, TRUE, lambda _: Possible({}), UNLIMITED.started(), Cancellation()))


def _ending(opened: tuple[Interface, LlvmEngine], **inputs: int) -> object:
    (path,) = _run(opened, **inputs).paths
    return path.ending


SPECULATED = """
int decide(int c, int a) {
    int r = 0;
    if (c > 0) r = a + 1;
    return r;
}
"""


def test_what_the_optimiser_computes_ahead_is_no_failure_until_it_is_used(tmp_path: Path) -> None:
    opened = open_c(_source(tmp_path, SPECULATED, "-O2"), tmp_path)
    assert len(opened[1].loaded.entry.blocks) == 1, "the branch is gone"
    most = 2**31 - 1
    assert isinstance(_ending(opened, c=0, a=most), Decided)
    failed = _ending(opened, c=1, a=most)
    assert isinstance(failed, Failed) and failed.kind == "signed overflow"
    assert failed.where is not None and failed.where.file == "p.c", "at least where it is looked at"


def test_poison_does_not_pass_through_memory_unnoticed(tmp_path: Path) -> None:
    text = """
    volatile int sink[2];
    void decide(int a, int b, int *out) { sink[0] = a + 1; sink[1] = b; *out = b ? sink[0] : sink[1]; }
    """
    opened = open_c(_source(tmp_path, text, "-O1"), tmp_path)
    most = 2**31 - 1
    given = {"a": most, "sink[0]": 0, "sink[1]": 0}
    taken = {v.path for v in opened[0] if v.is_input}
    for b in (0, 1):
        ending = _ending(opened, **{path: bits for path, bits in {**given, "b": b}.items() if path in taken})
        assert isinstance(ending, Failed) and ending.kind == "signed overflow"  # what it leaves in `sink` is a decision


def test_the_interface_is_that_of_the_program_as_it_is_written(tmp_path: Path) -> None:
    text = """
    #include <stdbool.h>
    struct world { float x; bool on; int unused; };
    static int count; static bool armed; static int limit = 3;
    int level = 2;
    static int twice(int v) { return 2 * v; }
    void decide(const struct world *w, int a, int *out) {
        count++;
        if (w->on && a > limit) armed = true;
        *out = armed ? twice(count) : level;
    }
    """
    written = discover(_source(tmp_path, text), tmp_path).interface
    optimised = discover(_source(tmp_path, text, "-O2"), tmp_path)
    roles = {v.path: v.role for v in written if v.role is not Role.INTERNAL}
    assert roles.pop("limit") is Role.ENVIRONMENT  # the optimiser knows that no code changes it
    assert {v.path: v.role for v in optimised.interface} == roles
    assert optimised.loaded.gone == ("limit",)
    assert Ledger.REMOVED.of("limit") in optimised.loaded.relies_on


def test_a_variable_that_the_optimiser_takes_apart_is_refused_by_name(tmp_path: Path) -> None:
    text = """
    static struct { int a, b; } memory;
    int decide(int x) { memory.a += x; memory.b ^= x; return memory.a + memory.b; }
    """
    with pytest.raises(ProgramError, match="the optimiser keeps memory in a form of its own"):
        discover(_source(tmp_path, text, "-O2"), tmp_path)


def test_an_entry_that_ends_up_in_its_callers_is_refused(tmp_path: Path) -> None:
    text = "static int decide(int x) { return x + 1; } int other(int x) { return decide(x); }"
    with pytest.raises(ProgramError, match="the optimiser has left no function decide"):
        discover(_source(tmp_path, text, "-O2"), tmp_path)


def test_a_bool_that_became_a_single_bit_is_still_there(tmp_path: Path) -> None:
    text = """
    #include <stdbool.h>
    static bool armed;
    int decide(int x) { if (x > 3) armed = true; return armed ? 7 : x; }
    """
    opened = open_c(_source(tmp_path, text, "-O2"), tmp_path)
    for armed, x, wanted in ((0, 1, 1), (1, 1, 7), (0, 4, 7)):
        run = _run(opened, armed=armed, x=x).run({})
        assert run.outputs["return"] == wanted and run.outputs["armed'"] == (armed or x > 3)


def test_a_vectorised_loop_may_ask_whether_two_arrays_overlap(tmp_path: Path) -> None:
    text = """
    void decide(const int *seen, int *out) { for (int i = 0; i < 64; i++) out[i] = seen[i] * 3 + 1; }
    """
    source = replace(_source(tmp_path, text, "-O2"), lengths={"seen": 64, "out": 64})
    opened = open_c(source, tmp_path)
    asked = [one for block in opened[1].loaded.entry.blocks for one in block.instructions if isinstance(one, Cast)]
    assert [one.op for one in asked] == ["ptrtoint", "ptrtoint"], "it asks how far they are apart"
    run = _run(opened, **{v.path: 5 for v in opened[0].inputs}).run({})
    assert set(run.outputs.values()) == {16}
