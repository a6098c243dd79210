"""`soid explain`, for people and for scripts, of a question and of an entry of a case."""

from __future__ import annotations

import io
import json
from contextlib import closing

import pytest
from msgspec.structs import replace
from rich.console import Console

from soid.case.case import Case
from soid.case.project import Project
from soid.cli import main
from soid.cli.commands.explain_command import named
from soid.cli.terminal.explanations import show_explanation
from soid.cli.terminal.terminal import Terminal
from soid.examples import folder
from soid.solver.chain import chain
from tests.json_page import misfits

OVEN = ("--project", str(folder("microwave")))
MIGHT = "might action == CANCEL if heat is anything and closed is anything"
PROOF = "would action in {CANCEL, CLOSE} if error == true and closed is anything and heat is anything"


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def test_a_counterfactual_says_what_mattered(capsys):
    assert main(["explain", MIGHT, *OVEN]) == 0
    said = capsys.readouterr().out
    assert "With one change from the fact it would cancel:" in said
    assert "closed: it does" not in said
    for heading in ("What mattered", "Where it flips", "Where the ways part", "Other variables that would do"):
        assert f"\n  {heading}\n" in said
    proved = "in which it would cancel, the variables of at least one of these sets are not as in fact: proved."
    assert proved in " ".join(said.split())
    assert all(len(line) <= 80 for line in said.splitlines())


def test_a_proof_says_what_it_needed(capsys):
    assert main(["explain", PROOF, *OVEN]) == 0
    said = capsys.readouterr().out
    assert "had the error light been true: needed; without it" in said and said.count("error == true") == 1
    assert all(len(line) <= 80 for line in said.splitlines())


@pytest.mark.parametrize(
    ("question", "status", "words"),
    [
        ("did action == CLOSE", 0, "That is what happened."),
        ("would action == CLOSE", 2, "No scenario is as supposed, so there is nothing to explain."),
    ],
)
def test_where_there_is_nothing_to_explain_it_says_so(capsys, question, status, words):
    assert main(["explain", question, *OVEN]) == status
    assert words in capsys.readouterr().out


@pytest.mark.parametrize("out_of_time", [True, False])
def test_a_definite_answer_that_is_not_explained_is_no_less_definite(out_of_time):
    with closing(chain()) as solver:
        project = Project.open(folder("microwave"), solver=solver)
        given = replace(project.explain(MIGHT), mattered=None, parting=None, unsettled=("which changes are enough",))
        given = replace(given, out_of_time=out_of_time)
    stream = io.StringIO()
    show_explanation(Terminal(Console(file=stream, width=80)), given, project.keyframe, "Explaining")
    assert "which changes are enough" in stream.getvalue()
    assert ("More time may settle it" in stream.getvalue()) is out_of_time
    assert "Nothing was concluded" not in stream.getvalue()


def test_words_that_the_shell_has_split_are_one_question():
    assert named(("might", "x", "if", "y", "is", "anything")) == "might x if y is anything"
    assert named(("no such file", "3")) == "no such file 3"


def test_json_of_a_proof_says_what_it_needed(capsys):
    main(["explain", PROOF, *OVEN, "--json"])
    said = json.loads(capsys.readouterr().out)
    assert (said["mattered"], said["parting"]) == (None, None)
    assert misfits(said, "explain") == misfits(said["proof"], "proof") == {}


def test_an_entry_of_a_case_is_explained(tmp_path, capsys):
    file = tmp_path / "oven.case"
    with Case.create(file, folder("microwave"), who="ada") as case:
        number = case.ask(MIGHT, step=3).entry.number
        before = len(case.entries)
    assert named((str(file), str(number))) == (file, number)
    assert main(["explain", str(file), str(number)]) == 0
    assert f"Explaining entry {number} " in capsys.readouterr().out
    assert main(["explain", str(file), str(number), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["entry"] == number
    assert main(["explain", str(file), "1"]) != 0
    assert "entry 1 is about no question" in capsys.readouterr().err
    with Case.open(file, read_only=True) as case:
        assert len(case.entries) == before  # looking adds nothing


def test_that_nothing_else_would_do_is_about_variables_not_about_the_values_shown(capsys, tmp_path):
    # whatever is not RIGHT would do as well as the one value that is shown
    (tmp_path / "car.c").write_text(
        "enum S { STRAIGHT, LEFT, RIGHT };\nint drive(enum S signal) { return signal == RIGHT; }\n"
    )
    (tmp_path / "soid.toml").write_text(
        '[program]\nname = "car"\nengine = "c"\nsources = ["car.c"]\nentry = "drive"\n[trace]\nfile = "log.jsonl"\n'
    )
    (tmp_path / "log.jsonl").write_text('{"signal": "RIGHT"}\n')
    assert main(["explain", "might drive() == 0 if signal is anything", "--project", str(tmp_path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    proved = "in which it would act so that drive is 0, signal is not as in fact: proved."
    assert f"Other variables that would do • None. In every scenario asked about {proved}" in said
