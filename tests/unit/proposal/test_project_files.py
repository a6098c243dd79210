"""What lies in a folder is found; what is missing is said, with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.errors import InputError, ProgramError, TraceError
from soid.proposal.gathered_project import gather
from soid.proposal.project_files import NamedFiles, files_in


def laid(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    return folder


def test_sources_headers_and_logs(tmp_path: Path) -> None:
    laid(tmp_path, "src/a.c", "src/a.h", "include/b.h", "data/log.csv", "tests/t.c", ".git/x.c", "build/y.c", "n.md")
    (found,) = files_in(tmp_path, NamedFiles())
    assert [str(file) for file in found.sources] == ["src/a.c"]
    assert found.include == ("include",) and [str(file) for file in found.logs] == ["data/log.csv"]


def test_tests_count_where_there_is_nothing_else(tmp_path: Path) -> None:
    (found,) = files_in(laid(tmp_path, "tests/t.c", "l.csv"), NamedFiles())
    assert [str(file) for file in found.sources] == ["tests/t.c"]


def test_what_is_named_is_taken(tmp_path: Path) -> None:
    project, elsewhere = laid(tmp_path / "p", "a.c", "b.c", "l.csv"), laid(tmp_path / "logs", "other.jsonl")
    named = NamedFiles((project / "b.c",), elsewhere / "other.jsonl", defines=("X=1",))
    (found,) = files_in(project, named)
    assert [str(file) for file in found.sources] == ["b.c"] and [str(file) for file in found.logs] == [
        "../logs/other.jsonl"
    ]
    with pytest.raises(InputError, match="there is no file"):
        files_in(project, NamedFiles((project / "c.c",)))


def test_commands_of_a_build_system_are_no_log(tmp_path: Path) -> None:
    (found,) = files_in(laid(tmp_path, "a.c", "l.csv", "compile_commands.json", "package.json"), NamedFiles())
    assert str(found.commands) == "compile_commands.json" and [str(file) for file in found.logs] == ["l.csv"]


@pytest.mark.parametrize(
    ("names", "error", "words"),
    [
        ((), ProgramError, "there is no program in"),
        (("a.h", "l.csv"), ProgramError, r"there are only headers \(a\.h\)"),
        (("a.py", "l.csv"), ProgramError, "there is no program in"),
        (("a.smt2", "l.csv"), ProgramError, "whose variables soid cannot find by itself"),
        (("a.c",), TraceError, "there is no log in"),
    ],
)
def test_what_is_missing(names: tuple[str, ...], error: type[InputError], words: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=words) as raised:
        gather(laid(tmp_path, *names), NamedFiles())
    assert raised.value.remedy


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        files_in(tmp_path / "nowhere", NamedFiles())
