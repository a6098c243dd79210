"""`soid ask --recipe`: the paper's method answers the same, and says so where its time is over."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pytest

from soid.cli import main
from soid.cli.command_line.question_options import AskOptions
from soid.cli.commands.ask_command import opened
from soid.examples import folder
from soid.oracle.inquiry import Settings
from soid.recipe import MECHANISMS
from soid.solver.chain import chain

OVEN = ("--project", str(folder("microwave")))


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    status = main(["ask", *arguments, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_recipes_answer_the_same_and_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    question = "might action == CANCEL if heat is anything and closed is anything"
    off = [word for name in MECHANISMS for word in ("--without", name)]
    for words, name in (([], "soid"), (["--recipe", "paper"], "paper"), (off, f"soid without {', '.join(MECHANISMS)}")):
        status, answer = asked(capsys, question, *OVEN, *words)
        assert (status, answer["verdict"], answer["solver"]["recipe"]) == (0, "yes", name)


def test_a_recipe_whose_time_is_over_says_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    project = ("--project", str(folder("crash") / "impatient"))
    assert main(["inspect", *project, "--json"]) == 0  # from now on it is compiled
    capsys.readouterr()
    question = "would move if world.agents[1].signal is anything and 1.0 <= world.agents[1].x <= 1.5"
    status, answer = asked(capsys, question, *project, "--recipe", "paper", "--seconds", "0.3")
    assert (status, answer["verdict"], answer["witness"]) == (3, "unknown", None)
    assert "time" in answer["reason"]


def test_a_first_question_has_the_time_that_opening_has_left() -> None:
    with closing(chain()) as solver:
        project = opened(AskOptions(project=folder("microwave")), Settings(seconds=50.0), solver)
    assert project.settings.seconds is not None
    assert 0.0 < project.settings.seconds < 50.0


def test_what_there_is_not_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "did action == CLOSE", *OVEN, "--without", "magic"]) == 10
    assert "The mechanisms are: pinning," in capsys.readouterr().err
    assert main(["ask", "did action == CLOSE", *OVEN, "--recipe", "pepper"]) == 64
