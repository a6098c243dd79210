"""What a program reads and writes is found out once; a file that is not this program's is found out anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from soid.engine.llvm.compiler.compilation import Build
from soid.engine.llvm.loaded_program import LoadedProgram, load
from soid.engine.llvm.variables import roles as module
from soid.engine.llvm.variables.roles import MemoryUse, examine, memory_use

PROGRAM = "static int seen; int decide(int x) { seen += x; return seen > 3; }"


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LoadedProgram:
    (tmp_path / "rule.c").write_text(PROGRAM)
    made = load(Build((Path("rule.c"),), root=tmp_path), "decide")
    monkeypatch.setenv("SOID_CACHE", str(tmp_path / "cache"))
    return made


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The programs that were examined."""
    found: list[str] = []

    def noting(loaded: LoadedProgram, described: frozenset[str] = frozenset()) -> MemoryUse:
        found.append(loaded.entry.name)
        return examine(loaded, described)

    monkeypatch.setattr(module, "examine", noting)
    return found


def test_a_program_is_looked_at_once(loaded: LoadedProgram, looked_at: list[str]) -> None:
    first, again = memory_use(loaded), memory_use(loaded)
    assert first == again == examine(loaded) and looked_at == ["decide"]
    memory_use(loaded, frozenset({"sensor"}))
    assert looked_at == ["decide", "decide"]


def test_what_is_broken_or_of_another_program_does_not_count(
    loaded: LoadedProgram, looked_at: list[str], tmp_path: Path
) -> None:
    expected = memory_use(loaded)
    (file,) = (tmp_path / "cache" / "examined").iterdir()
    whole = file.read_bytes()
    for content in (b"", whole[:-1], whole.replace(b"decide", b"decoy"), b"[" * 9_000):
        file.write_bytes(content)
        assert memory_use(loaded) == expected
    (tmp_path / "rule.c").write_text(PROGRAM.replace("seen += x", "seen = x"))
    other = load(Build((Path("rule.c"),), root=tmp_path), "decide")
    found = memory_use(other)
    files = {each.name: each for each in (tmp_path / "cache" / "examined").iterdir()}
    assert found != expected and len(files) == 2
    theirs = next(each for name, each in files.items() if name != file.name)
    theirs.write_bytes(file.read_bytes())  # this one's under the other's name
    assert memory_use(other) == found
    assert len(looked_at) == 7


def test_without_a_text_nothing_is_kept(loaded: LoadedProgram, looked_at: list[str], tmp_path: Path) -> None:
    for _ in range(2):
        memory_use(replace(loaded, digest=""))
    assert looked_at == ["decide", "decide"] and not (tmp_path / "cache").exists()


def test_what_a_program_does_with_large_objects_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mask has a bit for each bit of an object: far more than Python's limit of 4,300 decimal digits."""
    (tmp_path / "rule.c").write_text("static int seen[100000]; int decide(int x) { return seen[x & 65535]++ > 3; }")
    monkeypatch.setenv("SOID_CACHE", str(tmp_path / "cache"))
    loaded = load(Build((Path("rule.c"),), root=tmp_path), "decide")
    assert memory_use(loaded) == memory_use(loaded) == examine(loaded)
