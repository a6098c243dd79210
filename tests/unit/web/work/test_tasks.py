"""The tasks of a worker, done here: from uploaded files to an answer."""

from __future__ import annotations

import pytest

from soid.budget import Cancellation
from soid.case.case import Case
from soid.errors import CalledOff
from soid.examples import folder
from soid.oracle.inquiry import QuestionProgress, Settings
from soid.web.upload_areas import Area
from soid.web.upload_manifest import UploadManifest
from soid.web.work.tasks import AskTask, CompareTask, FilmTask, Hands, LookTask, MakeTask

HANDS = Hands(Settings(), lambda _: None)


def test_an_arduino_sketch_can_be_uploaded_and_asked_about(tmp_path):
    area = Area("a", tmp_path / "files")
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
