"""Which clangs of the machine are taken where soid's own compiler is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from soid.errors import EnvironmentalError
from soid.jail import launcher
from soid.jail.launcher import system_clangs


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("PATH", str(tmp_path))
    system_clangs.cache_clear()
    yield tmp_path
    system_clangs.cache_clear()


def _compiler(folder: Path, name: str, told: str) -> Path:
    file = folder / name
    file.write_text(f"#!/bin/sh\necho '{told}'\n")
    file.chmod(0o755)
    return file


def test_the_newest_comes_first_and_old_ones_are_left_out(bin_folder):
    _compiler(bin_folder, "clang", "Debian clang version 14.0.6")
    older = _compiler(bin_folder, "clang-19", "Debian clang version 19.1.7 (3~deb12u1)")
    newer = _compiler(bin_folder, "clang-21", "clang version 21.1.0")
    _compiler(bin_folder, "clang-20", "no clang at all")
    assert list(system_clangs().items()) == [(21, newer), (19, older)]


def test_the_one_without_a_number_counts_by_its_version(bin_folder):
    plain = _compiler(bin_folder, "clang", "Ubuntu clang version 20.1.2")
    _compiler(bin_folder, "clang-20", "Ubuntu clang version 20.1.2")
    assert system_clangs() == {20: plain}


def test_there_may_be_none(bin_folder):
    assert system_clangs() == {}


def test_without_any_compiler_it_is_said_what_needs_one(bin_folder, monkeypatch):
    """Also whoever asks about a learned model is told: models are read in the jail, which is compiled."""
    monkeypatch.setenv("SOID_CACHE", str(bin_folder / "cache"))
    monkeypatch.setattr(launcher, "packaged_zig", lambda: None)
    with pytest.raises(EnvironmentalError, match=r"there is no C compiler: the jail, .* models are read") as caught:
        launcher.launcher()
    assert "pip install 'soid[compiler]'" in caught.value.remedy and "apt-get install clang-19" in caught.value.remedy
