"""Pointers that start outside of their object may come back anywhere in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.engine.llvm.compiler.compilation import Build
from soid.engine.llvm.loaded_program import load
from soid.engine.llvm.variables.roles import examine

BYTES = 4 * 4


@pytest.mark.parametrize("index", [-1, -4, 5, 100])
def test_a_constant_index_outside_of_an_array_counts_as_any(index: int, tmp_path: Path) -> None:
    (tmp_path / "rule.c").write_text(f"static int tab[4]; int decide(int x) {{ return (tab + {index})[x]; }}")
    loaded = load(Build((Path("rule.c"),), root=tmp_path), "decide")
    region = next(n for n, each in enumerate(loaded.places.regions) if each.name == "tab")
    assert examine(loaded).read[region] == (1 << 8 * BYTES) - 1
