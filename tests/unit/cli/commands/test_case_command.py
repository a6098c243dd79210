"""`soid case`, in this process: what it prints, what it leaves in the file, and its exit statuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from soid.case.case import Case
from soid.case.record.record import Record
from soid.cli import main
from soid.examples import folder

MIGHT = "might action == CANCEL if heat is anything"


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    file: Path = tmp_path_factory.mktemp("case") / "oven.case"
    assert main(["case", "new", str(file), "--project", str(folder("microwave")), "--title", "The oven"]) == 0
    return file


@pytest.fixture
def file(made, tmp_path) -> str:
    return str(shutil.copy(made, tmp_path / "oven.case"))


def said(capsys) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_case_from_its_beginning_to_its_facts(file, capsys):
    assert main(["case", "keyframe", file, "3", "the error", "--who", "ada"]) == 0
    assert main(["case", "ask", file, MIGHT, "--step", "the error"]) == 0
    out = capsys.readouterr().out
    assert "✔ YES" in out and "whatever the heater had been" in out
    assert main(["case", "note", file, "4", "so the heater matters", "--who", "ben"]) == 0
    assert main(["case", "show", file]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "The oven" in out and "1 fact, 5 entries" in out
    assert (
        "fact 1 It would cancel, had the heater been false instead of true" in out
        and "ben: so the heater matters" in out
    )
    assert main(["case", "retract", file, "4", "a slip"]) == 0
    assert main(["case", "show", file]) == 0
    out = capsys.readouterr().out
    assert "no facts, 6 entries" in out and "(retracted)" in out
    assert main(["case", "verify", file]) == 0
    assert Record(Path(file)).entries[-1].hash in capsys.readouterr().out


def test_questions_of_the_manifest_and_words_that_the_shell_has_split(file, capsys):
    assert main(["case", "ask", file, "--quiet"]) == 0
    assert capsys.readouterr().out.split() == ["no", "no", "no", "no", "yes", "yes", "no"]
    assert main(["case", "ask", file, "-q", "did", "action", "==", "CANCEL"]) == 1
    assert main(["case", "ask", file, "-q", "would action == CANCEL"]) == 2


def test_no_question_is_put_before_all_can_be_read(file, capsys):
    assert main(["case", "ask", file, MIGHT, "did acton == CANCEL"]) == 19
    assert len(Record(Path(file)).entries) == 1


def test_json(file, capsys):
    assert main(["case", "ask", file, MIGHT, "--json"]) == 0
    answer = said(capsys)
    assert (answer["entry"], answer["verdict"], answer["fact"]["about"]) == (3, "yes", "family")
    assert "bits" not in answer
    assert main(["case", "note", file, "3", "hm", "--json"]) == 0
    assert said(capsys)["payload"] == {"on": 3, "text": "hm"}
    assert main(["case", "show", file, "3", "--json"]) == 0
    assert said(capsys)["hash"] == answer["hash"]
    assert main(["case", "show", file, "--json"]) == 0
    shown = said(capsys)
    assert [(each["number"], each["entry"]) for each in shown["facts"]] == [(1, 3)]
    assert (shown["title"], len(shown["entries"])) == ("The oven", 4)
    assert main(["case", "verify", file, "--json"]) == 0
    verified = said(capsys)
    assert verified == {"holds": True, "entries": 4, "head": shown["head"], "custody": shown["custody"]}
    (key,) = verified["custody"]["keys"]
    assert [each["entries"] for each in key["signed"]] == [[1, 2, 3, 4]] and verified["custody"]["unsigned"] == []


def test_entries_in_full(file, capsys):
    main(["case", "ask", file, MIGHT, "-q"])
    main(["case", "keyframe", file, "4", "later"])
    capsys.readouterr()
    for number, words in [("1", "9 files"), ("2", MIGHT), ("3", "by evaluating the paths"), ("4", "is called later")]:
        assert main(["case", "show", file, number]) == 0
        assert words in " ".join(capsys.readouterr().out.split())
    assert main(["case", "show", file, "5"]) == 25


def test_a_hash_that_was_noted_down(file, capsys):
    noted = Record(Path(file)).entries[-1].hash
    main(["case", "note", file, "1", "hm"])
    assert main(["case", "verify", file, "--head", noted]) == 0
    assert main(["case", "verify", file, "--head", noted[:-1] + "x"]) == 26
    assert "no entry has the hash" in capsys.readouterr().err


def test_files_that_are_there_and_files_that_are_not(file, tmp_path, capsys):
    assert main(["case", "new", file, "--project", str(folder("microwave"))]) == 25
    assert main(["case", "show", str(tmp_path / "no.case")]) == 25
    assert "soid case new" in capsys.readouterr().err


def test_what_opening_brings_to_light_is_said(tmp_path, capsys):
    project = tmp_path / "oven"
    shutil.copytree(folder("microwave"), project, ignore=shutil.ignore_patterns("*.py", "__pycache__", "c"))
    file = str(tmp_path / "a.case")
    assert main(["case", "new", file, "--project", str(project)]) == 0
    log = (project / "log.jsonl").read_text()
    (project / "log.jsonl").write_text(log.replace("CLOSE", "OPEN"))
    capsys.readouterr()
    assert main(["case", "show", file]) == 0
    assert "oven/log.jsonl has changed" in " ".join(capsys.readouterr().err.split())
    assert len(Record(Path(file)).entries) == 1  # to look is to add nothing
    assert main(["case", "ask", file, "-q", "did action == CLOSE"]) == 0
    assert [entry.kind.value for entry in Record(Path(file)).entries] == ["opened", "noticed", "asked", "answered"]


def test_a_mismatch_is_accepted(tmp_path, capsys):
    project = tmp_path / "oven"
    shutil.copytree(folder("microwave"), project, ignore=shutil.ignore_patterns("*.py", "__pycache__", "c"))
    log = (project / "log.jsonl").read_text()
    (project / "log.jsonl").write_text(log.replace("CLOSE", "OPEN"))
    file = str(tmp_path / "a.case")
    assert main(["case", "new", file, "--project", str(project)]) == 0
    assert main(["case", "ask", file, MIGHT, "-q"]) == 4
    assert main(["case", "accept", file, "the logger is late", "--step", "3"]) == 0
    assert main(["case", "ask", file, MIGHT, "-q"]) == 0
    assert main(["case", "show", file]) == 0
    assert "because: the logger is late" in " ".join(capsys.readouterr().out.split())


def test_who_it_was(file, monkeypatch):
    monkeypatch.setenv("SOID_USER", "cleo")
    main(["case", "note", file, "1", "hm"])
    main(["case", "note", file, "1", "hm", "--who", "dora"])
    assert [entry.who for entry in Case.open(file).entries[-2:]] == ["cleo", "dora"]
