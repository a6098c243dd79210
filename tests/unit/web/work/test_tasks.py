"""The tasks of a worker, done here: from uploaded files to an answer."""

from __future__ import annotations

from typing import Any

import pytest

from soid.budget import Cancellation
from soid.case.case import Case
from soid.case.validity import conclusions
from soid.errors import CalledOff, EnvironmentalError
from soid.examples import folder
from soid.oracle.inquiry import QuestionProgress, Settings
from soid.web.upload_areas import Area
from soid.web.upload_manifest import UploadManifest
from soid.web.work.tasks import AskTask, CompareTask, FilmTask, Hands, LookTask, MakeTask, ReportTask, ScriptTask

HANDS = Hands(Settings(), lambda _: None)


def test_an_arduino_sketch_can_be_uploaded_and_asked_about(tmp_path):
    area = Area("a", tmp_path / "files", "ada")
    area.folder.mkdir()
    area.put("garden.ino", b"int m; bool wet;\nvoid loop() { pump(m < 300); }\nvoid pump(bool on) { wet = on; }\n")
    area.put("Arduino.h", b"#pragma once\n")
    area.put("log.jsonl", b'{"step": 0, "m": 200, "wet": true}\n')
    assert area.sources == ("garden.ino",)
    look = LookTask(area.folder, "garden", UploadManifest("loop", area.sources, "log.jsonl"))
    assert "loop()" in look.do(HANDS)["functions"]
    case = tmp_path / "garden.case"
    MakeTask(case, "ada", "A garden", look).do(HANDS)
    told = AskTask(case, "ada", "might wet == false if m is anything", 0, "garden/log.jsonl").do(HANDS)
    assert told["fact"]["scenario"]["inputs"] == {"m": 300}


def test_a_comparison_that_is_called_off_is_not_recorded(tmp_path):
    file, cancel = tmp_path / "oven.case", Cancellation()
    Case.create(file, folder("microwave")).close()

    def report(progress: QuestionProgress) -> None:
        if progress.stage.startswith("comparing log and program"):
            cancel.cancel()

    task = CompareTask(file, "ada", "microwave/log.jsonl")
    with pytest.raises(CalledOff):
        task.do(Hands(Settings(), report, cancel))
    with Case.open(file, read_only=True) as case:
        assert len(case.entries) == 1
    assert task.do(HANDS)["verdict"] == "fits"


def test_a_report_is_not_printed_without_a_browser_which_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("SOID_CHROMIUM", str(tmp_path / "none"))
    Case.create(tmp_path / "oven.case", folder("microwave")).close()
    task = ReportTask(tmp_path / "oven.case", "ada", tmp_path / "oven.pdf", pdf=True)
    with pytest.raises(EnvironmentalError, match="that is what makes the PDF") as refused:
        task.do(HANDS)
    assert "print that from any browser" in refused.value.remedy and not (tmp_path / "oven.pdf").exists()


def test_a_script_tells_each_line_as_it_begins_and_ends(tmp_path):
    told: list[dict[str, Any]] = []
    file = tmp_path / "crash.case"
    Case.create(file, folder("crash") / "standard").close()
    text = (folder("crash") / "broadside.soid").read_text()
    task = ScriptTask(file, "ada", "broadside.soid", text)
    result = task.do(Hands(Settings(), lambda _: None, happen=told.append))
    first = text.splitlines().index("did move and not right_of_way()") + 1
    assert [(each["event"], each["line"]) for each in told[:2]] == [("asking", first), ("asked", first)]
    assert told[1]["verdict"] == "yes" and told[1]["entry"] == 3 and told[1]["answer"] is None
    assert result["event"] == "concluded" and result["conclusion"].startswith("reasonable")
    assert {"script": "broadside.soid", **told[-1]} == result
    with Case.open(file, read_only=True) as case:
        (conclusion,) = conclusions(case.entries)
        assert (conclusion.script, conclusion.text) == ("broadside.soid", result["conclusion"])
        entries = len(case.entries)
    again: list[dict[str, Any]] = []
    task.do(Hands(Settings(), lambda _: None, happen=again.append))  # all of it is on the record
    assert {each["event"] for each in again} == {"recorded", "cause", "concluded"}
    with Case.open(file, read_only=True) as case:
        assert len(case.entries) == entries


def test_a_script_that_is_called_off_keeps_what_was_answered(tmp_path):
    file, cancel = tmp_path / "oven.case", Cancellation()
    Case.create(file, folder("microwave")).close()
    text = "did action == CANCEL\nmight action == CANCEL if heat is anything\n"

    def happen(event) -> None:
        if event["event"] == "asked":
            cancel.cancel()

    with pytest.raises(CalledOff):
        ScriptTask(file, "ada", "own.soid", text).do(Hands(Settings(), lambda _: None, cancel, happen))
    with Case.open(file, read_only=True) as case:
        assert [entry.question for entry in case.entries if entry.answer is not None] == ["did action == CANCEL"]


def test_an_answer_is_filmed_without_being_asked_again(tmp_path):
    file = tmp_path / "crossing.case"
    Case.create(file, folder("pedestrian")).close()
    log = "pedestrian/log.jsonl"
    question = "would not collision throughout 40 steps if warning.kind == PEDESTRIAN"
    asked = [AskTask(file, "ada", each, 3, log).do(HANDS)["entry"] for each in (question, "did control.brake > 0")]
    with Case.open(file, read_only=True) as case:
        before = len(case.entries)
    made, none = (FilmTask(file, "ada", entry).do(HANDS) for entry in asked)
    assert made["entry"] == asked[0] and made["about"].startswith("Would it never happen")
    assert [each["where"] for each in made["stages"]] == ["In fact", "In the scenario"]
    assert none["stages"] == []
    with Case.open(file, read_only=True) as case:
        assert len(case.entries) == before  # nothing is recorded
