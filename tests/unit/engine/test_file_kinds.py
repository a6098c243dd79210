"""Files that no engine reads: the command line says what they are, and which kinds of files can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.cli import main
from soid.errors import ProgramError
from tests.unit.engine.test_registry import advertise

C = b"int decide(int a) { return a > 3; }\n"
ELF = b"\x7fELF\x02\x01\x01\0" + bytes(64)
FILES = {
    "decide.py": (b"def decide(a):\n    return a > 3\n", "a program in Python"),
    "decide.rs": (b"fn decide(a: i32) -> bool { a > 3 }\n", "a program in Rust"),
    "Decide.java": (b"class Decide {}\n", "a program in Java"),
    "decide.go": (b"package main\n", "a program in Go"),
    "model.onnx": (b"\x08\x08\x12\x07pytorch", "called a model in ONNX, but does not begin as one"),
    "decide.o": (ELF, "machine code"),
    "decide.txt": (C, "text"),
    "decide.h": (C, "a header and no source file"),
    "decide": (ELF, "machine code"),
    "disguised.c": (ELF, "machine code"),
    "disguised.bc": (ELF, "machine code"),
    "empty.c": (b"", "it is empty"),
    "empty.py": (b"", "a program in Python"),
    "notes.xyz": (b"hm", "a file of the kind .xyz"),
}


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What is said of a mistake in a program: cause and remedy, and never that soid has a bug."""
    assert main(list(words)) == ProgramError.exit_code
    said = " ".join(capsys.readouterr().err.split())
    assert "bug in soid" not in said
    assert "soid reads paths in SMT-LIB (.smt2), and source files in C (.c) and C++ (.cc, .cpp, .cxx)" in said
    return said


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_no_engine_reads_is_named_with_those_that_can_be(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    content, what = FILES[name]
    (tmp_path / name).write_bytes(content)
    (tmp_path / "log.jsonl").write_text('{"step": 0, "a": 1, "return": 0}\n')
    table = f'[program]\nengine = "c"\nsources = ["{name}"]\nentry = "decide"\n[trace]\nfile = "log.jsonl"\n'
    (tmp_path / "soid.toml").write_text(table)
    (tmp_path / "script.soid").write_text(
        f'program "{name}" entry decide\ntrace "log.jsonl" at step 0\ndid return == 0\n'
    )
    monkeypatch.chdir(tmp_path)
    for words in (
        ("inspect",),
        ("inspect", name, "--entry", "decide"),
        ("ask", "did return == 0"),
        ("compile",),
        ("run", "script.soid"),
        ("case", "new", "a.case"),
    ):
        said = refused(capsys, *words)
        assert f"error: {name} is {what}" in said or f"there is no program in {name}: {what}" in said


def test_a_file_of_another_engine_is_said_to_be_its(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "path.smt2").write_text("(assert true)\n")
    (tmp_path / "soid.toml").write_text('[program]\nengine = "c"\nsources = ["path.smt2"]\nentry = "decide"\n')
    assert main(["inspect"]) == ProgramError.exit_code
    said = " ".join(capsys.readouterr().err.split())
    assert "path.smt2 is not for the engine llvm" in said and 'Write engine = "smtlib" in soid.toml' in said
    assert main(["inspect", "path.smt2", "--entry", "decide"]) != 0
    assert "a program for the engine smtlib needs a soid.toml" in " ".join(capsys.readouterr().err.split())


def test_a_folder_without_programs_is_said_to_be_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "decide.rs").write_text("")
    (tmp_path / "soid.toml").write_text('[program]\nengine = "c"\nsources = ["src"]\nentry = "decide"\n')
    for words in (["inspect"], ["inspect", "src", "--entry", "decide"]):
        assert 10 <= main(words) < 70
        assert ".c or .cc" in (said := " ".join(capsys.readouterr().err.split())) or "there is no file src" in said


def test_an_engine_of_another_package_is_among_those_that_read_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    site = advertise(tmp_path / "site", limits="tests.unit.engine.limits:LimitsFrontend")
    monkeypatch.syspath_prepend(str(site))
    (tmp_path / "decide.py").write_text("")
    assert "and limits (.limits)" in refused(capsys, "inspect", str(tmp_path / "decide.py"), "--entry", "decide")
