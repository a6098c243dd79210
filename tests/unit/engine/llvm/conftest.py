"""A cache of the test run's own, and C text to module in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from soid.engine.llvm.compiler.compilation import Build, compile_ir
from soid.engine.llvm.ir.ir_module import Module
from soid.engine.llvm.reader.module_reader import read_module


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOID_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def compile_c(tmp_path: Path) -> Callable[..., Module]:
    def compile_(text: str, *flags: str) -> Module:
        (tmp_path / "program.c").write_text(text)
        return read_module(compile_ir(Build((Path("program.c"),), flags=flags, root=tmp_path)).text)

    return compile_
