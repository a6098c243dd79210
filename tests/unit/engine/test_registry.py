"""Engines are found by name and by what a file is, soid's own and those of other packages alike."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from soid.case.case import Case
from soid.case.project import Project
from soid.case.report.document import report
from soid.engine.manifest_reader import load
from soid.engine.protocol import fingerprint, replayer_for
from soid.engine.registry import GROUP, OWN, frontend, frontend_for, frontends, kept_summaries
from soid.errors import EnvironmentalError, InputError, ManifestError, ProgramError
from soid.evidence.bundle import bundle, write
from soid.evidence.verify import verify
from soid.oracle.answer import Verdict
from tests.unit.engine.limits import LIMIT, LimitsFrontend

ROOT = Path(__file__).parents[3]
MANIFEST = """
[program]
name = "a limit"
engine = "limits"
rule = "rule.limits"

[law]
steps = 1

[trace]
file = "log.jsonl"

[variables]
speed = { role = "environment", type = "uint8", unit = "km/h" }
brake = { role = "decision", type = "bool" }
"""
QUESTIONS = {
    "did brake": "yes",
    "did not brake": "no",
    "would brake if speed > 50": "yes",
    "would brake if speed > 49": "no",
    "might not brake if speed < 70": "yes",
    "might brake if speed <= 50": "no",
}


def advertise(folder: Path, **engines: str) -> Path:
    """A package that is installed in a folder, with its entry points."""
    info = folder / "soid_limits-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: soid-limits\nVersion: 1.0\n")
    points = "".join(f"{name} = {place}\n" for name, place in engines.items())
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{points}")
    return folder


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = advertise(tmp_path / "site", limits="tests.unit.engine.limits:LimitsFrontend", broken="no.such:Thing")
    monkeypatch.syspath_prepend(str(found))
    monkeypatch.setenv("SOID_CACHE", str(tmp_path / "cache"))
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "limit"
    folder.mkdir()
    (folder / "soid.toml").write_text(MANIFEST)
    (folder / "rule.limits").write_text("see town.limits")
    (folder / "town.limits").write_text("50\n")
    (folder / "log.jsonl").write_text('{"step": 0, "speed": 60, "brake": true}\n')
    return folder


def test_engines_of_soid_and_of_others_are_found_by_name(site: Path) -> None:
    names = [frontend(name).name for name in (*OWN, "limits")]
    assert names == ["smtlib", "llvm", "llvm", "model", "world", "product", "limits"]
    assert [each.name for each in frontends()] == ["smtlib", "llvm", "model", "limits"]


def test_an_engine_that_is_not_there_or_cannot_be_loaded_is_said_to_be_so(site: Path) -> None:
    with pytest.raises(InputError, match='there is no engine "limit"') as missing:
        frontend("limit")
    assert missing.value.remedy == "Did you mean limits?"
    with pytest.raises(
        EnvironmentalError, match=r"the engine at no\.such:Thing cannot be loaded: No module named 'no'"
    ):
        frontend("broken")


def test_engines_are_found_by_what_files_are(site: Path, tmp_path: Path) -> None:
    contents = {
        "a.c": b"int a;",
        "a.cpp": b"int a;",
        "a.ll": b"; a module",
        "b.bc": b"BC\xc0\xde\0\0",
        "a.smt2": b"(assert true)",
        "path": b"; by KLEE\n(assert true)",
        "a.limits": b"50",
    }
    found = {}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        found[name] = frontend_for([tmp_path / name]).name
    assert list(found.values()) == ["llvm", "llvm", "llvm", "llvm", "smtlib", "smtlib", "limits"]
    with pytest.raises(ProgramError, match="no engine reads all of these files together"):
        frontend_for([tmp_path / "a.c", tmp_path / "a.limits"])


def test_an_engine_of_another_package_answers(site: Path, project: Path) -> None:
    case = Project.open(project)
    assert {question: case.ask(question).verdict.value for question in QUESTIONS} == QUESTIONS
    assert LIMIT in case.ask("did brake").relies_on
    assert kept_summaries(case.program, case.engine) is not None
    assert case.ask("would brake if speed > 50").settled_by["summaries"]
    assert replayer_for(case.engine, "confined") is None and fingerprint(case.engine) == ""
    assert case.explain("would brake if speed > 49").answer.verdict.value == "no"


def test_what_it_does_not_know_is_told_with_its_line(site: Path, project: Path) -> None:
    toml = project / "soid.toml"
    for old, new, words in (
        ("steps = 1", "step = 1", r"soid.toml:8: \[law\] step: there is no such key"),
        ("rule =", "rules =", r"soid.toml:2: \[program\]: rule is missing"),
        ("[law]", "[lengths]", r"\[lengths\] is nothing to the engine limits"),
        ("[variables]", "[variable]", r"\[variable\]: there is no such key|variable: there is no such key"),
    ):
        toml.write_text(MANIFEST.replace(old, new))
        with pytest.raises(ManifestError, match=words):
            load(toml)


def test_its_case_holds_what_it_was_made_from(site: Path, project: Path, tmp_path: Path) -> None:
    with Case.create(tmp_path / "a.case", project, title="A limit", who="ada") as case:
        held = [file.path for file in case.snapshot.files]
        assert held == ["limit/log.jsonl", "limit/rule.limits", "limit/soid.toml", "limit/town.limits"]
        for file in project.iterdir():
            file.unlink()
        for question, verdict in QUESTIONS.items():
            assert case.ask(question).entry.verdict is Verdict(verdict)
        assert "a program for the engine limits" in str(report(case))


@pytest.mark.parametrize("trusting", [False, True])
def test_its_case_is_bundled_and_verified_as_far_as_its_front_end_opens_it(
    site: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trusting: bool
) -> None:
    monkeypatch.setattr(LimitsFrontend, "trusting", trusting)
    with Case.create(tmp_path / "a.case", project, title="A limit", who="ada") as case:
        case.ask("would brake if speed > 50")
        case.ask("might not brake if speed < 70")
    made = bundle(tmp_path / "a.case")
    assert made.refused == ()
    write(made, tmp_path / "a.zip")
    found = verify(tmp_path / "a.zip")
    words = " ".join(check.words for check in found.checks)
    standings = {fact.standing.value for fact in found.facts}
    if trusting:
        assert "nothing is compiled" in words and standings == {"re-proved"}
    else:
        assert "the engine limits opens no programs of strangers" in words and standings == {"not supported"}


def test_the_command_line_finds_it(site: Path, project: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(ROOT)])}
    for words, expected in (
        (["ask", "would brake if speed > 50", "--json"], {"verdict": "yes"}),
        (["inspect", "--json"], {"engine": "limits", "files": ["rule.limits"], "paths": None}),
    ):
        ran = subprocess.run(
            [sys.executable, "-m", "soid", *words], cwd=project, env=environment, capture_output=True, text=True
        )
        said = json.loads(ran.stdout)
        assert {name: said[name] for name in expected} == expected, ran.stderr
