"""What is kept comes back whole, under its own name, or not at all; and there is an end to it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from soid import cache


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    place = tmp_path / "some" / "where.json"
    assert cache.kept(place) is None
    cache.keep(place, b"this\nand that")
    assert cache.kept(place) == b"this\nand that"


def test_no_bit_of_it_can_be_changed(tmp_path: Path) -> None:
    place = tmp_path / "this.json"
    cache.keep(place, b"this\nand that")
    whole = place.read_bytes()
    for at in range(len(whole)):
        place.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        assert cache.kept(place) is None
        place.write_bytes(whole[:at])
        assert cache.kept(place) is None


def test_a_name_is_part_of_it(tmp_path: Path) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    cache.keep(one, b"this")
    other.write_bytes(one.read_bytes())
    assert cache.kept(other) is None


def test_a_folder_that_cannot_be_written_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache.keep(tmp_path / "file" / "this.json", b"this")
    assert cache.kept(tmp_path / "file" / "this.json") is None


def test_the_oldest_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "FILES", 3)
    for number in range(5):
        cache.keep(tmp_path / f"{number}.json", b"this")
        os.utime(tmp_path / f"{number}.json", (number, number))
    cache.keep(tmp_path / "last.json", b"this")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["3.json", "4.json", "last.json"]
    cache.trim(tmp_path, 3, sum(path.stat().st_size for path in tmp_path.iterdir()) - 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["4.json", "last.json"]


def test_a_home_that_cannot_be_written_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.delenv("SOID_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "below"))
    place = cache.cache_folder()
    cache.keep(place / "some" / "thing", b"content")
    assert cache.kept(place / "some" / "thing") == b"content" and place == cache.cache_folder()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "there"))
    assert cache.cache_folder() == tmp_path / "there" / "soid"
