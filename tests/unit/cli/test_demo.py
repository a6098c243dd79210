import json

import pytest
from msgspec.structs import replace

from soid.cli import ask as asking
from soid.cli import main, performing
from soid.cli.performing import story_of
from soid.examples import NAMES, folder
from soid.oracle.answer import Verdict
from soid.program.manifest import load


@pytest.mark.parametrize("name", NAMES)
def test_a_story_fits_the_questions_of_its_projects(name):
    story = story_of(name)
    rows = story.pattern.rows if story.pattern is not None else ()
    compared = {place for row in rows for place in row.answers}
    for number, act in enumerate(story.acts, start=1):
        questions = load(folder(name) / act.project).questions
        assert set(act.asides) <= set(range(1, len(questions) + 1))
        needed = {asked for conclusion in act.conclusions for asked in conclusion.needs}
        needed |= {asked for place, asked in compared if place == number}
        assert needed == set(act.asides)  # no question is asked in vain, and none is missing


@pytest.mark.parametrize("name", [name for name in NAMES if story_of(name).pattern is not None])
def test_every_row_of_a_pattern_answers_every_question(name):
    pattern = story_of(name).pattern
    assert pattern is not None
    assert {len(row.answers) for row in pattern.rows} == {len(pattern.questions)}
    assert {len(verdicts) for verdicts in pattern.supports} == {len(pattern.questions)}


@pytest.mark.parametrize("name", NAMES)
def test_the_demo_comes_to_its_conclusions(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["demo", name]) == 0
    out = capsys.readouterr().out
    assert all(len(line) <= 80 for line in out.splitlines())
    story, said = story_of(name), " ".join(out.split())
    assert " ".join(story.closing.split()) in said
    for act in story.acts:
        assert all(" ".join(conclusion.text.split()) in said for conclusion in act.conclusions)
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
    assert out.count("The same scene as above, to the last bit") == 2


def doubtful(monkeypatch, verdict=Verdict.UNKNOWN):
    """Every answer is another one."""
    put = asking.put

    def doubt(case, question, *, about):
        return replace(put(case, question, about=about), verdict=verdict, witness=None)

    monkeypatch.setattr(performing, "put", doubt)


def test_a_conclusion_that_the_answers_do_not_carry_is_not_said(monkeypatch, capsys):
    doubtful(monkeypatch)
    assert main(["demo", "microwave"]) == 1
    out = capsys.readouterr().out
    assert "It never cancels without an error." not in out
    assert " 1. " not in out  # what is unknown adds nothing to FACTS
    assert "Not every answer is what this story expects" in out


def test_a_pattern_that_nobody_foresaw_supports_nothing(monkeypatch, capsys):
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
