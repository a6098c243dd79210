import json

import pytest
from msgspec.structs import replace

from soid.cli import main
from soid.cli.commands import example_command
from soid.cli.commands.ask_command import put
from soid.engine.manifest_reader import load
from soid.examples import NAMES, folder
from soid.examples.story import story_of
from soid.oracle.answer import Verdict


@pytest.mark.parametrize("name", NAMES)
def test_the_demo_comes_to_its_conclusions(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["demo", name]) == 0
    out = capsys.readouterr().out
    assert all(len(line) <= 80 for line in out.splitlines())
    story, said = story_of(name), " ".join(out.split())
    assert " ".join(story.closing.split()) in said
    for act in story.acts:
        assert all(" ".join(text.split()) in said for text in act.conclusions)
    asked = sum(len(act.asides) for act in story.acts)
    assert all(f" {number}. " in out for number in range(1, asked + 1))  # each adds to FACTS
    if story.acts[0].log:
        assert f"► {load(folder(name)).keyframe}" in out
    if name == "crash":
        _is_the_crash(out)


def _is_the_crash(out: str) -> None:
    pairs = [" ".join(line.split()[:3]) for line in out.splitlines() if " (yes, " in line or " (no, " in line]
    assert pairs == ["standard (yes, no)", "impatient (no, no)", "pathological (no, yes)"]
    assert out.count("B►┃") > 1 and "B▷┃" in out  # the scene, and the counterfactual beside it
    assert out.count("The same scene as above, to the last bit") == 1
    assert "as logged: it happens at step 26 that the two cars collide" in " ".join(out.split())


def test_what_is_not_logged_is_not_told_as_a_fact(capsys):
    assert main(["demo", "drone"]) == 0
    out = capsys.readouterr().out
    assert "bad_gps_ticks = 0" not in out  # it was 3
    assert "log and program agree: return.mode = MODE_HOLD\n" in out  # the recorder has no other decision


def doubtful(monkeypatch, verdict=Verdict.UNKNOWN):
    """Give every answer another verdict."""

    def doubt(case, question, *, about):
        return replace(put(case, question, about=about), verdict=verdict, witness=None)

    monkeypatch.setattr(example_command, "put", doubt)


def test_a_conclusion_that_the_answers_do_not_carry_is_not_said(monkeypatch, capsys):
    doubtful(monkeypatch)
    assert main(["demo", "microwave"]) == 1
    out = capsys.readouterr().out
    assert "It never cancels without an error." not in out
    assert " 1. " not in out  # what is unknown adds nothing to FACTS
    assert "Not every answer is what this story expects" in out


def test_a_pattern_that_the_story_does_not_know_supports_nothing(monkeypatch, capsys):
    doubtful(monkeypatch)
    assert main(["demo", "pedestrian"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "(unknown, unknown, unknown, unknown) none of what this story knows" in out
    assert "a large part in the collision" not in out


def test_for_scripts(capsys):
    assert main(["demo", "microwave", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    (act,) = said["acts"]
    assert (said["demo"], said["carried"], said["patterns"]) == ("microwave", True, [])
    assert [answer["verdict"] for answer in act["answers"]] == ["no", "no", "no", "no", "yes", "yes", "no"]
    assert len(act["facts"]) == 7 and all(conclusion["carried"] for conclusion in act["conclusions"])


def test_all_of_them_are_listed(capsys):
    assert main(["demo", "--list"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert all(f"{name} {story_of(name).summary}" in out for name in NAMES)
    assert main(["demo", "--list", "--json"]) == 0
    assert [each["name"] for each in json.loads(capsys.readouterr().out)["demos"]] == list(NAMES)


def test_an_example_that_is_not_there(capsys):
    assert main(["demo", "toaster"]) == 10
    assert "microwave" in capsys.readouterr().err
