"""`soid case questions`: the story and the questions, in words and as JSON; nothing is added to the case."""

import json
import shutil
from pathlib import Path

from soid.case.case import Case
from soid.cli import main
from soid.examples import folder
from tests.json_page import misfits


def test_the_story_and_the_questions_are_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with Case.create("crash.case", folder("crash") / "standard") as case:
        answered = case.ask("did move").entry
    assert main(["case", "questions", "crash.case"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "four-way stop" in told and "At step 11 it decided to drive on." in told
    assert f"Did it drive on? yes: entry {answered.number} did move" in told
    assert main(["case", "questions", "crash.case", "--step", "12", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["story"]["moment"].startswith("At step 12 it decided to ")
    assert {each["entry"] for each in found["questions"]} == {None}
    assert misfits(found["story"], "story") == {}
    assert misfits(found["questions"][0], "suggested questions") == {}
    with Case.open("crash.case", read_only=True) as case:
        assert len(case.entries) == 3


def test_a_decision_that_is_not_logged_is_derived(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folder("drone"), "drone")
    manifest = Path("drone/soid.toml")
    manifest.write_text(manifest.read_text().replace('"did return.mode == MODE_HOLD"', '"did return.alarm"'))
    Case.create("drone.case", "drone").close()
    assert main(["case", "questions", "drone.case", "--step", "236", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "sound the alarm (derived)" in found["story"]["moment"]
    assert "did return.alarm" in [each["question"] for each in found["questions"]]
