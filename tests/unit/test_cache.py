"""What is kept comes back whole, under its own name, or not at all; and there is an end to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
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


def test_a_folder_that_fills_is_looked_through_now_and_then(tmp_path: Path) -> None:
    sizes = []
    for number in range(200):
        place = tmp_path / f"{number:03}.json"
        place.write_bytes(b"four")
        os.utime(place, (number, number))
        cache.trim_at_times(tmp_path, 64, 1 << 20)
        sizes.append(len(list(tmp_path.iterdir())))
    assert max(sizes) <= 64 and min(sizes[64:]) >= 40
    assert (tmp_path / "199.json").exists() and not (tmp_path / "000.json").exists()


def test_a_folder_has_no_more_bytes_for_long(tmp_path: Path) -> None:
    for number in range(32):
        place = tmp_path / f"{number:03}.json"
        place.write_bytes(b"four")
        os.utime(place, (number, number))
        cache.trim_at_times(tmp_path, 1_000, 40)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert 10 <= len(names) < 26 and names == [f"{number:03}.json" for number in range(32 - len(names), 32)]


def test_a_home_that_cannot_be_written_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.delenv("SOID_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "below"))
    place = cache.cache_folder()
    cache.keep(place / "some" / "thing", b"content")
    assert cache.kept(place / "some" / "thing") == b"content" and place == cache.cache_folder()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "there"))
    assert cache.cache_folder() == tmp_path / "there" / "soid"


# --- files that are written whole or not at all


@pytest.fixture(params=["unnamed", "named", "without links"])
def drafts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The three kinds of file systems."""
    if request.param != "unnamed":
        monkeypatch.setattr(os, "O_TMPFILE", os.O_DIRECTORY)  # as a system answers that does not know it
    if request.param == "without links":

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError

        monkeypatch.setattr(os, "link", refuse)
    return str(request.param)


def test_a_file_is_replaced_as_a_whole(tmp_path: Path, drafts: str) -> None:
    place = tmp_path / "made" / "this"
    for content in (b"one", b"two"):
        cache.write_atomically(place, content, 0o640)
        assert place.read_bytes() == content and place.stat().st_mode & 0o777 == 0o640
        assert list(place.parent.iterdir()) == [place]


def test_a_new_file_replaces_none(tmp_path: Path, drafts: str) -> None:
    place = tmp_path / "this"
    cache.write_new(place, b"one")
    with pytest.raises(OSError):  # noqa: PT011 which one depends on the file system
        cache.write_new(place, b"two")
    assert place.read_bytes() == b"one" and list(tmp_path.iterdir()) == [place]
    place.unlink()
    place.symlink_to("elsewhere")  # a link is a name that is taken, wherever it leads
    if drafts != "without links":
        with pytest.raises(FileExistsError):
            cache.write_new(place, b"two")
        assert place.is_symlink()


def test_the_permissions_of_a_new_file_are_the_users(tmp_path: Path, drafts: str) -> None:
    before = os.umask(0o027)
    try:
        cache.write_new(tmp_path / "this", b"one")
    finally:
        os.umask(before)
    assert (tmp_path / "this").stat().st_mode & 0o777 == 0o640


def test_what_was_written_can_be_executed_at_once(tmp_path: Path, drafts: str) -> None:
    place = tmp_path / "this"
    with cache._draft(place, b"#!/bin/sh\n", 0o700) as draft:
        if drafts != "without links":
            draft.link(place)
            subprocess.run([place], check=True)  # a file that is open for writing would be "busy"


_KILLED = """
import os, signal, sys
from pathlib import Path
from soid import cache
link = os.link
def killed(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
os.link = killed
getattr(cache, sys.argv[1])(Path(sys.argv[2]), b"half of it")
"""


@pytest.mark.parametrize("way", ["write_new", "write_atomically"])
def test_a_kill_leaves_nothing(tmp_path: Path, way: str) -> None:
    """At the worst moment: all is written, and has no name yet."""
    ended = subprocess.run([sys.executable, "-c", _KILLED, way, tmp_path / "this"], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []
