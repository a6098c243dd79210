"""A stranger's linker begins with a copy of what the compiler makes of its own C library."""

from __future__ import annotations

import pytest

from soid.engine.llvm.compiler import library_stock
from soid.engine.llvm.compiler.library_stock import bring_library
from soid.engine.llvm.compiler.toolchain import DEFAULT_TARGET, OWN_CACHE, find_toolchain

LIBRARIES = ("-nostdlib", "-lm", "-lc")


@pytest.fixture
def stranger(tmp_path, monkeypatch):
    monkeypatch.setenv("SOID_CACHE", str(tmp_path / "cache"))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (scratch / "p.c").write_text("#include <math.h>\nint main(int n, char **words) { return sin(n) > 0; }\n")
    return find_toolchain(None).confined([], scratch), scratch


def test_the_stock_is_made_once_and_what_it_holds_is_not_made_again(stranger, monkeypatch):
    toolchain, scratch = stranger
    bring_library(toolchain, DEFAULT_TARGET, LIBRARIES, scratch)
    brought = set((scratch / OWN_CACHE / "o").iterdir())
    assert (
        toolchain.run((*toolchain.target_flags(DEFAULT_TARGET), "p.c", *LIBRARIES, "-o", "p"), scratch).returncode == 0
    )
    assert len(brought) > 10 and len(set((scratch / OWN_CACHE / "o").iterdir()) - brought) <= 2  # the program's own
    monkeypatch.setattr(library_stock, "_make", lambda *_: pytest.fail("it is there"))
    bring_library(toolchain, DEFAULT_TARGET, LIBRARIES, scratch)


def test_what_a_stranger_does_to_its_copy_reaches_no_other(stranger, tmp_path):
    toolchain, scratch = stranger
    bring_library(toolchain, DEFAULT_TARGET, LIBRARIES, scratch)
    for file in (scratch / OWN_CACHE).rglob("*.o"):
        file.write_bytes(b"evil")
    other = tmp_path / "other"
    bring_library(toolchain, DEFAULT_TARGET, LIBRARIES, other)
    assert [file for file in (other / OWN_CACHE).rglob("*.o") if file.read_bytes() == b"evil"] == []


def test_without_a_stock_the_compiler_goes_on_alone(stranger):
    toolchain, scratch = stranger
    bring_library(toolchain, "no-such-target", LIBRARIES, scratch)
    assert not (scratch / OWN_CACHE).exists()
