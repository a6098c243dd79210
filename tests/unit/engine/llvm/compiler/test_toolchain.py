"""Which compiler is taken: the one that is named, soid's own, the machine's; and what is said where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from llvmlite.binding import llvm_version_info

from soid.engine.llvm.compiler import toolchain
from soid.engine.llvm.compiler.toolchain import find_toolchain
from soid.errors import EnvironmentalError
from soid.jail.launcher import OLDEST_CLANG

NEWEST = llvm_version_info[0]


@pytest.fixture
def clangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[int, Path]:
    """A machine without soid's own compiler, and with clangs of each version around those that can be taken."""
    found: dict[int, Path] = {}
    for number in (NEWEST + 1, NEWEST, OLDEST_CLANG):
        found[number] = tmp_path / f"clang-{number}"
        found[number].write_text(f"#!/bin/sh\necho 'clang version {number}.1.0'\necho 'Target: here'\n")
        found[number].chmod(0o755)
    monkeypatch.setattr(toolchain, "packaged_zig", lambda: None)
    monkeypatch.setattr(toolchain, "system_clangs", lambda: found)
    return found


def test_soid_s_own_is_taken_whatever_the_machine_has(monkeypatch):
    monkeypatch.setattr(toolchain, "system_clangs", lambda: pytest.fail("the machine's are not looked for"))
    assert find_toolchain().name.startswith("ziglang ")


def test_without_it_the_newest_is_taken_whose_output_can_be_read(clangs):
    taken = find_toolchain()
    assert taken.command == (str(clangs[NEWEST]),)
    assert taken.name == f"clang version {NEWEST}.1.0" and not taken.zig
    del clangs[NEWEST]
    assert find_toolchain().name == f"clang version {OLDEST_CLANG}.1.0"


def test_without_any_the_remedies_are_told(clangs):
    for number in (NEWEST, OLDEST_CLANG):
        del clangs[number]
    with pytest.raises(EnvironmentalError) as caught:
        find_toolchain()
    assert f"clang {OLDEST_CLANG} to {NEWEST}" in caught.value.cause
    assert "pip install 'soid[compiler]'" in caught.value.remedy


def test_one_that_is_named_and_not_there_is_told():
    with pytest.raises(EnvironmentalError, match="no-such-clang"):
        find_toolchain("no-such-clang")
