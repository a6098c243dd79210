import importlib
from dataclasses import replace

import pytest

from soid.cli import ask as asking
from soid.cli import demo as playing
from soid.cli import main
from soid.examples import NAMES, folder
from soid.oracle.answer import Verdict
from soid.program.manifest import load


@pytest.mark.parametrize("name", NAMES)
def test_a_story_fits_the_questions_of_its_example(name):
    story = importlib.import_module(f"soid.examples.{name}.story").STORY
    questions = load(folder(name)).questions
    assert len(story.asides) == len(questions)
    asked = {number for conclusion in story.conclusions for number in conclusion.needs}
    assert asked == set(range(1, len(questions) + 1))  # no question is asked in vain


@pytest.mark.parametrize("name", NAMES)
def test_the_demo_comes_to_its_conclusions(name, capsys):
    assert main(["demo", name]) == 0
    out = capsys.readouterr().out
    story = importlib.import_module(f"soid.examples.{name}.story").STORY
    assert " ".join(story.closing.split()) in " ".join(out.split())
    assert f"► {load(folder(name)).keyframe}" in out


def test_a_conclusion_that_the_answers_do_not_carry_is_not_said(monkeypatch, capsys):
    put = asking.put

    def doubtful(case, question, *, about):
        return replace(put(case, question, about=about), verdict=Verdict.UNKNOWN)

    monkeypatch.setattr(playing, "put", doubtful)
    assert main(["demo"]) == 1
    out = capsys.readouterr().out
    assert "It never cancels without an error." not in out
    assert "Not every answer is what this story expects" in out


def test_an_example_that_is_not_there(capsys):
    assert main(["demo", "toaster"]) == 10
    assert "microwave" in capsys.readouterr().err
