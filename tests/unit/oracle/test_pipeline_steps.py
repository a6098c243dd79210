"""Questions over several steps: a counter in C, its log checked step by step, its witnesses run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from soid.assumptions import Ledger
from soid.case.project import Project
from soid.documents import json_of
from soid.errors import KeyframeError, ProgramError
from soid.examples import folder
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import Settings
from soid.query.python import did, throughout, within, would

COUNTER = """
struct memory { int count; };
int decide(int input, struct memory *m)
{
    int go = 12 / (3 - m->count);
    for (int i = 0; i < input; i++)
        go++;
    m->count += input > 0;
    return go;
}
"""

#: what it does when its input goes up
LOG = [
    {"step": 5, "input": 1, "m.count": 0, "return": 5, "m.count'": 1},
    {"step": 6, "input": 0, "m.count": 1, "return": 6, "m.count'": 1},
    {"step": 7, "input": 2, "m.count": 1, "return": 8, "m.count'": 2},
    {"step": 8, "input": 3, "m.count": 2, "return": 15},
    {"step": 9, "input": 3, "m.count": 3},
    {"step": 11, "input": 0, "m.count": 3},
]


def case(folder: Path, log: list[dict[str, Any]] | None = None, more: str = "", **settings: Any) -> Project:
    (folder / "counter.c").write_text(COUNTER)
    (folder / "log.jsonl").write_text("".join(json.dumps(step) + "\n" for step in log or LOG))
    program = f'[program]\nengine = "c"\nsources = ["counter.c"]\nentry = "decide"\n{more}'
    (folder / "soid.toml").write_text(f'{program}\n[trace]\nfile = "log.jsonl"\nkeyframe = 5\n')
    return Project.open(folder, settings=Settings(**settings))


def changed(number: int, **values: int) -> list[dict[str, Any]]:
    """The log with one step said otherwise."""
    said = {name.replace("m_count", "m.count").replace("result", "return"): value for name, value in values.items()}
    return [{**step, **said} if index == number else step for index, step in enumerate(LOG)]


# --- did ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("did return == 8 after 3 steps", "yes"),
        ("did return == 8 within 3 steps", "yes"),
        ("did return == 8 within 2 steps", "no"),
        ("did return >= 5 throughout 4 steps", "yes"),
        ("did return >= 6 throughout 4 steps", "no"),
        ("did m.count' == 2 and m.count == 1 and input == 2 after 3 steps", "yes"),
        ("did return > fact(return) throughout 2 steps", "no"),
        ("did return > fact(return) after 2 steps", "yes"),
        # it fails in the fifth step
        ("did fails within 5 steps", "yes"),
        ("did fails after 5 steps", "yes"),
        ("did decides throughout 5 steps", "no"),
        ("did return == 15 within 5 steps", "yes"),
        ("did return == 99 within 5 steps", "no"),
        ("did not return == 99 throughout 5 steps", "no"),
    ],
)
def test_did_goes_by_the_logged_environments(question: str, verdict: str, tmp_path: Path) -> None:
    answer = case(tmp_path).ask(question)
    assert (answer.verdict.value, answer.text) == (verdict, question), answer.reason
    assert answer.witness is not None and "by running the compiled program" in answer.witness.replayed


def test_the_steps_are_shown(tmp_path: Path) -> None:
    answer = case(tmp_path).ask("did fails within 5 steps")
    assert answer.witness is not None
    assert [step["return"] for step in json_of(answer.witness.document)["steps"]] == [5, 6, 8, 15]
    assert answer.witness.outputs == {} and str(answer.witness.ending) == "fails: division by zero at counter.c:5"
    assert answer.fact["return"] == 5


@pytest.mark.parametrize(
    ("log", "mismatch"),
    [
        (changed(0, result=7), "the log says what it returns is 7, the program gives 5"),
        (changed(2, result=7), "at step 7 the log says what it returns is 7, the program gives 8"),
        (
            changed(2, m_count=0),
            "at step 7 the log says count is 0 before the call, the program has left 1",
        ),
        (
            changed(4, result=1),
            "at step 9 the log says what it returns is 1, the program fails: division by zero at counter.c:5",
        ),
    ],
)
def test_a_log_that_differs_is_told_with_the_step(log: list[dict[str, Any]], mismatch: str, tmp_path: Path) -> None:
    answer = case(tmp_path, log).ask("did return == 5 within 5 steps")
    assert answer.verdict is Verdict.ERROR
    assert answer.reason == f"log mismatch: {mismatch}"


def test_later_steps_do_not_concern_a_question_about_one(tmp_path: Path) -> None:
    assert case(tmp_path, changed(2, result=7)).ask("did return == 6 within 2 steps").verdict is Verdict.YES


def test_a_step_that_is_not_logged_is_missed_by_name(tmp_path: Path) -> None:
    with pytest.raises(KeyframeError, match=r"step 10 is not in .*log\.jsonl, and 7 steps from step 5 on need it"):
        case(tmp_path).ask("did return == 5 within 7 steps")


def test_what_a_later_step_did_not_log_is_said(tmp_path: Path) -> None:
    log = [{name: value for name, value in step.items() if step["step"] != 6 or name != "input"} for step in LOG]
    opened = case(tmp_path, log, more="[variables]\ninput = { initial = 0 }\n")
    answer = opened.ask("did return == 6 after 2 steps")
    assert answer.verdict is Verdict.YES
    assert Ledger.UNLOGGED.of("input = 0 at step 6") in answer.relies_on


# --- would, might ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "verdict", "steps"),
    [
        ("would return == 4 after 3 steps held if input == 0", "yes", [4, 4, 4]),
        ("would return <= 13 throughout 3 steps held if input == 1", "vacuous", None),  # as it was in fact
        ("would return <= 14 throughout 3 steps held if input in {0..2}", "yes", [4, 4, 4]),
        ("would return <= 13 throughout 3 steps held if input in {0..2}", "no", [6, 8, 14]),
        ("might return == 14 within 3 steps held if input is anything and input <= 9", "yes", [6, 8, 14]),
        # what occurred before it fails stays so; what did not is neither
        ("might return == 13 within 4 steps held if input == 1 and m.count == 2", "yes", [13]),
        ("would return == 13 within 4 steps held if input == 1 and m.count == 2", "yes", [13]),
        ("would not return == 99 throughout 4 steps held if input == 1 and m.count == 2", "no", [13]),
        ("might not return == 99 throughout 4 steps held if input == 1 and m.count == 2", "no", [13]),
        ("would fails within 4 steps held if input == 1 and m.count == 2", "yes", [13]),
        ("might return == 13 after 2 steps held if input == 1 and m.count == 2", "no", [13]),
    ],
)
def test_the_environment_is_held(question: str, verdict: str, steps: list[int] | None, tmp_path: Path) -> None:
    answer = case(tmp_path).ask(question)
    assert answer.verdict.value == verdict, answer.reason
    if steps is None:
        return
    assert answer.witness is not None
    assert [step["return"] for step in answer.witness.steps] == steps
    assert "by running the compiled program" in answer.witness.replayed
    assert any(each.id == "steady" for each in answer.relies_on)


def test_steps_in_python(tmp_path: Path) -> None:
    opened = case(tmp_path)
    v = opened.variables
    answer = opened.ask(would(v["return"] <= 14, steps=throughout(3, "held")).given(v.input.any_of(0, 2)))
    assert answer.text == "would return <= 14 throughout 3 steps held if input in {0, 2}"
    assert answer.verdict is Verdict.YES
    assert opened.ask(did(v["return"] == 8, steps=within(3))).verdict is Verdict.YES


def test_the_manifest_says_how_many_steps_are_meant(tmp_path: Path) -> None:
    opened = case(tmp_path, more="steps = 3\n")
    answer = opened.ask("did return == 8")
    assert (answer.verdict, answer.text) == (Verdict.YES, "did return == 8 after 3 steps")
    assert opened.ask("did return == 8 after 1 step").verdict is Verdict.NO


# --- the window -----------------------------------------------------------------------------------------------


def test_a_window_is_asked_for_and_said(tmp_path: Path) -> None:
    said = Ledger.WINDOW.of(2)
    opened = case(tmp_path, window=2)
    answer = opened.ask("would decides if input in {0..3}")
    assert answer.verdict is Verdict.NO and said in answer.relies_on
    assert answer.witness is not None and answer.witness.inputs["input"] == 3
    assert str(answer.witness.ending) == "does not decide within its window of 2"
    (tmp_path / "other").mkdir()
    manifest = case(tmp_path / "other", more="window = 2\n")
    assert said in manifest.ask("did return == 5").relies_on
    wider = case(tmp_path / "other", more="window = 2\n", window=3).ask("would decides if input in {0..3}")
    assert wider.verdict is Verdict.YES


def test_without_a_window_none_is_said(tmp_path: Path) -> None:
    answer = case(tmp_path).ask("would decides if input in {0..3}")
    assert answer.verdict is Verdict.YES
    assert not any(each.id == "window" for each in answer.relies_on)


def test_paths_from_elsewhere_have_no_window() -> None:
    with pytest.raises(ProgramError, match="only the paths are given"):
        Project.open(folder("microwave"), settings=Settings(window=5)).ask("did action == CLOSE")
