"""How a path ended: what the manifest's [endings] and the files beside a path say."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.engine.manifest_reader import load
from soid.engine.smtlib.given_endings import ending_beside, parse_ending
from soid.engine.smtlib.smtlib_source import SmtLibSource
from soid.engine.summary import Decided, Failed, Location, Undecided, Unexplored
from soid.errors import ManifestError

MANIFEST = """
[program]
engine = "smtlib"
paths  = ["a.smt2"]

[endings]
a          = "fails: division by zero at oven.c:12"
"b.smt2 1" = "does not decide"

[variables]
go = { role = "decision", type = "bool" }
"""


def project(folder: Path, text: str) -> Path:
    (folder / "a.smt2").touch()
    (folder / "soid.toml").write_text(text, encoding="utf-8")
    return folder


def test_the_manifest_hands_the_endings_on(tmp_path: Path) -> None:
    source = load(project(tmp_path, MANIFEST)).program.source
    assert isinstance(source, SmtLibSource)
    assert source.endings == {"a": "fails: division by zero at oven.c:12", "b.smt2 1": "does not decide"}


def test_a_manifest_without_endings_has_none(tmp_path: Path) -> None:
    text = MANIFEST[: MANIFEST.index("[endings]")] + MANIFEST[MANIFEST.index("[variables]") :]
    source = load(project(tmp_path, text)).program.source
    assert isinstance(source, SmtLibSource)
    assert source.endings == {}


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("7", r"soid\.toml:7: \[endings\] a: expected text in quotes, found the number 7"),
        ('""', r"soid\.toml:7: \[endings\] a: the text is empty"),
        ("{ kind = 'x' }", r"soid\.toml:7: \[endings\] a: expected text in quotes, found a table"),
    ],
)
def test_an_ending_is_text(tmp_path: Path, written: str, complaint: str) -> None:
    text = MANIFEST.replace('"fails: division by zero at oven.c:12"', written)
    with pytest.raises(ManifestError, match=complaint):
        load(project(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("decides", Decided()),
        ("does not decide", Undecided()),
        ("does not decide: 10 steps were over", Undecided("10 steps were over")),
        ("fails: abort", Failed("abort")),
        ("fails: division by zero at oven.c:12", Failed("division by zero", Location("oven.c", 12))),
        ("fails: looked at the wrong bit at a:b.c:7", Failed("looked at the wrong bit", Location("a:b.c", 7))),
        ("unexplored: a loop without bound at oven.c:9", Unexplored("a loop without bound", Location("oven.c", 9))),
        ("  fails :  abort  ", Failed("abort")),
    ],
)
def test_an_ending_as_it_is_written(text: str, ending: object) -> None:
    assert parse_ending(text) == ending


@pytest.mark.parametrize("text", ["", "fails", "fails:", "decides: yes", "unexplored", "Fails: abort", "explodes"])
def test_what_is_no_ending_is_refused(text: str) -> None:
    with pytest.raises(ManifestError, match="is no way for a path to end"):
        parse_ending(text)


def test_the_ending_survives_being_shown(tmp_path: Path) -> None:
    ending = Failed("division by zero", Location("oven.c", 12))
    assert parse_ending(str(ending)) == ending
    assert parse_ending(str(Undecided("too late"))) == Undecided("too late")


# --- files that KLEE leaves beside a path ---------------------------------------------------------------------


REPORT = "Error: divide by zero\nFile: src/oven.c\nLine: 31\nassembly.ll line: 7\n"


def test_a_report_beside_a_path_is_its_failure(tmp_path: Path) -> None:
    (tmp_path / "test000003.div.err").write_text(REPORT, encoding="utf-8")
    assert ending_beside(tmp_path / "test000003.smt2") == Failed("division by zero", Location("src/oven.c", 31))
    assert ending_beside(tmp_path / "test000004.smt2") is None
    assert ending_beside(tmp_path / "test00000.smt2") is None


def test_a_report_without_a_place_is_a_failure_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "test000001.ptr.err").write_bytes(b"Error: \xff\xfe\n")
    assert ending_beside(tmp_path / "test000001.smt2") == Failed("out-of-bounds access")


def test_an_unheard_of_kind_keeps_its_name(tmp_path: Path) -> None:
    (tmp_path / "test000001.flux.err").write_text("", encoding="utf-8")
    assert ending_beside(tmp_path / "test000001.smt2") == Failed("flux")


def test_what_the_executor_could_not_do_is_no_failure_of_the_program(tmp_path: Path) -> None:
    for kind in ("exec", "external", "model", "solver", "replay", "user"):
        (tmp_path / f"{kind}.{kind}.err").write_text(REPORT, encoding="utf-8")
        ending = ending_beside(tmp_path / f"{kind}.smt2")
        assert isinstance(ending, Unexplored)
        assert ending.where == Location("src/oven.c", 31)


def test_a_path_that_was_ended_early_is_unexplored(tmp_path: Path) -> None:
    (tmp_path / "test000009.early").touch()
    ending = ending_beside(tmp_path / "test000009.smt2")
    assert isinstance(ending, Unexplored)


def test_brackets_in_a_name_are_no_pattern(tmp_path: Path) -> None:
    (tmp_path / "path[1].div.err").write_text(REPORT, encoding="utf-8")
    assert isinstance(ending_beside(tmp_path / "path[1].smt2"), Failed)
    assert ending_beside(tmp_path / "path1.smt2") is None
