"""`soid compile`: paths found ahead of the questions; what is incomplete says so, and is never taken for complete."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from soid.cli import main
from soid.examples import folder

PROGRAM = """
#include <math.h>
struct seen { signed char speed; signed char gap; unsigned char kind; };
int decide(struct seen seen) {
    if (seen.kind == 7) return 100 / (seen.gap - 3);
    if (seen.speed > 20) return seen.gap < 10 ? 2 : 1;
    return 0;
}
int curved(struct seen seen) { return sin(seen.speed) > 0.5; }
"""

MANIFEST = """
[program]
name = "rule"
engine = "c"
sources = ["rule.c"]
entry = "{entry}"

[trace]
file = "log.jsonl"

[variables]
"seen.kind" = {{ domain = [0, 9] }}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = tmp_path_factory.mktemp("rule")
    for entry in ("decide", "curved"):
        (made / entry).mkdir()
        (made / entry / "rule.c").write_text(PROGRAM)
        (made / entry / "soid.toml").write_text(MANIFEST.format(entry=entry))
        seen = '"seen": {"speed": 30, "gap": 25, "kind": 1}' if entry == "decide" else '"seen": {"speed": 30}'
        (made / entry / "log.jsonl").write_text(f'{{"step": 0, {seen}}}\n')
    (made / "curved" / "soid.toml").write_text(MANIFEST.format(entry="curved").partition("[variables]")[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOID_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield made


@pytest.fixture(autouse=True)
def _nothing_kept(project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Compiled programs may stay, what was found out about them goes."""
    monkeypatch.setattr("soid.engine.registry.cache_folder", lambda: tmp_path)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    status = main([*words, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_questions_find_what_was_compiled(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule = str(project / "decide")
    status, found = said(capsys, "compile", rule)
    assert (status, found["complete"], found["kept"], found["left"]) == (0, True, True, [])
    assert found["paths"] == {"decided": 3, "failed": 1, "undecided": 0, "unexplored": 0}
    assert {each["variable"] for each in found["freed"]} == {"seen.speed", "seen.gap", "seen.kind"}
    questions = {
        "would return >= 1 if 21 <= seen.speed <= 60 and seen.gap is anything": ("yes", 1),
        "might fails if 5 <= seen.kind <= 9 and 0 <= seen.gap <= 3": ("yes", 3),
        "might return == 2 if seen.speed is anything": ("no", 2),
    }
    for question, (verdict, paths) in questions.items():
        _, answer = said(capsys, "ask", "-p", rule, question)
        _, alone = said(capsys, "ask", "-p", rule, question, "--without", "summaries")
        assert (answer["verdict"], sum(answer["paths"].values())) == (verdict, paths)
        assert answer["witness"] == alone["witness"] and answer["paths"] == alone["paths"]
        assert answer["settled_by"]["summaries"] >= 1 and "path_models" not in answer["settled_by"]


def test_beyond_the_domains_questions_explore(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule = str(project / "decide")
    said(capsys, "compile", rule)
    _, answer = said(capsys, "ask", "-p", rule, "would decides if seen.kind is any bits")
    assert answer["verdict"] == "yes" and "path_models" in answer["settled_by"]


def test_some_inputs_by_name(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule = str(project / "decide")
    status, found = said(capsys, "compile", rule, "--free", "seen.gap, seen.speed")
    assert status == 0 and [each["variable"] for each in found["freed"]] == ["seen.speed", "seen.gap"]
    assert found["paths"]["decided"] == 2
    _, answer = said(capsys, "ask", "-p", rule, "would return >= 1 if 21 <= seen.speed <= 60")
    assert answer["settled_by"]["summaries"] >= 1 and "path_models" not in answer["settled_by"]
    _, answer = said(capsys, "ask", "-p", rule, "would decides if seen.kind is anything")  # which was not free
    assert answer["verdict"] == "yes" and "path_models" in answer["settled_by"]


def test_what_was_left_open_is_explored_when_asked(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule = str(project / "decide")
    status, found = said(capsys, "compile", rule, "--paths", "2")
    assert (status, found["complete"], found["kept"]) == (3, False, True)
    assert found["paths"]["unexplored"] and found["left"] == ["more than 2 paths"]
    for question, verdict in (("would decides if seen.kind is anything and seen.gap is anything", "no"),
                              ("would return <= 1 if seen.gap is anything", "no"),
                              ("would return == 0 if -9 <= seen.speed <= 20", "yes")):  # fmt: skip
        _, answer = said(capsys, "ask", "-p", rule, question)
        assert answer["verdict"] == verdict and not answer["paths"]["unexplored"]


def test_it_is_said_why_nothing_is_kept(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, found = said(capsys, "compile", str(project / "decide"), "--seconds", "0")
    assert (status, found["kept"], found["not_kept"]) == (3, False, "no path was explored")
    status, found = said(capsys, "compile", str(project / "curved"))
    assert (status, found["kept"]) == (3, False) and "sin" in found["not_kept"]


def test_for_people(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", str(project / "decide"), "--paths", "2"]) == 3
    words = " ".join(capsys.readouterr().out.split())
    assert "all 3 inputs, each over its domain" in words
    assert "left open more than 2 paths; questions that reach it explore for themselves" in words
    assert "kept yes: questions about states that were explored cost solving only" in words


def test_what_cannot_be_compiled_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", str(folder("microwave"))]) >= 10
    assert "no paths to explore" in capsys.readouterr().err
    assert main(["compile", str(project / "decide"), "--free", "seen.sped"]) >= 10
    assert "Did you mean seen.speed?" in capsys.readouterr().err
    assert main(["compile", str(project / "decide"), "--free", "return"]) >= 10
    assert "return is no input" in capsys.readouterr().err


def test_who_cross_checks_relies_on_nothing_that_is_kept(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule, question = str(project / "decide"), "would return >= 1 if 21 <= seen.speed <= 60"
    said(capsys, "compile", rule)
    _, answer = said(capsys, "ask", "-p", rule, question, "--cross-check")
    assert answer["verdict"] == "yes" and "summaries" not in answer["settled_by"]
