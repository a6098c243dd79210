"""The harness is compiled early and once, and a replay waits for that."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.engine.llvm.compiler.toolchain import DEFAULT_TARGET, Toolchain, find_toolchain
from soid.engine.llvm.native import executable


@pytest.fixture(autouse=True)
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A cache of its own, and what was compiled."""
    executable.harness_object(find_toolchain(None), DEFAULT_TARGET)  # nothing that was begun elsewhere is under way now
    monkeypatch.setenv("SOID_CACHE", str(tmp_path))
    found: list[str] = []
    compile_ = Toolchain.compile

    def noting(self: Toolchain, flags: list[str], folder: Path) -> str:
        found.append(flags[-1])
        return compile_(self, flags, folder)

    monkeypatch.setattr(Toolchain, "compile", noting)
    return found


def test_it_is_compiled_once(compiled: list[str]) -> None:
    for _ in range(3):
        executable.compile_early(None, DEFAULT_TARGET)
    made = executable.harness_object(find_toolchain(None), DEFAULT_TARGET)
    assert made.is_file() and compiled == ["harness.o"]
    executable.compile_early(None, DEFAULT_TARGET)
    assert executable.harness_object(find_toolchain(None), DEFAULT_TARGET) == made and compiled == ["harness.o"]


def test_without_a_beginning_it_is_compiled_when_it_is_needed(compiled: list[str]) -> None:
    assert executable.harness_object(find_toolchain(None), DEFAULT_TARGET).is_file() and compiled == ["harness.o"]


def test_who_begins_hears_of_no_error(compiled: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    executable.compile_early("no-such-compiler", DEFAULT_TARGET)
    monkeypatch.setattr(executable, "SOURCE", Path(__file__))  # which is no C
    executable.compile_early(None, DEFAULT_TARGET)
    with pytest.raises(Exception, match="harness"):
        executable.harness_object(find_toolchain(None), DEFAULT_TARGET)
