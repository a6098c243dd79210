"""A small program and its IR, as a person can read them side by side. `SOID_GOLDEN=1 pytest` writes the file anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from soid.engine.llvm.compiler.compilation import Build, compile_ir
from soid.engine.llvm.reader.module_reader import read_module
from tests.unit.engine.llvm.reader.ir_dump import dump_module

PROGRAMS = Path(__file__).parent / "programs"


def test_the_guard_reads_as_it_should() -> None:
    module = read_module(compile_ir(Build((Path("guard.c"),), root=PROGRAMS)).text)
    if not module.ident[0].startswith("clang version 22."):
        pytest.skip(f"the golden file shows clang 22; {module.ident[0]} may write other names and flags")
    golden = PROGRAMS / "guard.golden"
    if os.environ.get("SOID_GOLDEN"):
        golden.write_text(dump_module(module))
    assert dump_module(module) == golden.read_text()
