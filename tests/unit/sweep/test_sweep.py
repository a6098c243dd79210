import json
import shutil

import pandas as pd
import pytest

import soid
from soid.cli import main
from soid.errors import InputError
from soid.examples import folder
from soid.oracle.answer import Verdict
from soid.sweep.sweep import listed_moments
from soid.sweep.sweep_row import SweepRow

ALWAYS = "would action == CANCEL if error == true and closed == true and heat is anything"


def test_rows_say_what_the_same_questions_are_answered_alone():
    oven = soid.open(folder("microwave"))
    questions = [ALWAYS, "did action == CLOSE", "might action == CLOSE if closed is anything"]
    made = oven.sweep(questions)
    assert len(made.rows) == 15 and made.complete and not made.open
    for row in made.rows:
        assert row.step is not None
        alone = oven.at(row.step).ask(row.question)
        assert (row.verdict, row.reason) == (alone.verdict, alone.reason)
        assert row.changed == (() if alone.is_of_all else tuple(each.variable.path for each in alone.changed))
    assert repr(made) == "Sweep(3 questions at 5 moments: 9 yes, 6 no)"


def test_the_summary_says_how_many_moments_have_which_answer():
    made = soid.open(folder("microwave")).sweep([ALWAYS, "did action == CLOSE"])
    first, second = made.summary().splitlines()
    assert first.startswith("At all 5 moments it would always cancel, had ")
    assert second == "At 1 of 5 moments it did close the door. At 4 it did not."
    shown = made._repr_html_()
    assert "<p>At 1 of 5 moments it did close the door." in shown
    assert "<svg" in shown and shown.count("<tr>") == 11  # a head, and the rows
    assert "Did it close the door?" in str(made) and "···█·  0..4" in str(made)


def test_a_mismatch_is_a_row_and_the_rest_is_answered(tmp_path):
    soid_folder = folder("microwave")
    log = (soid_folder / "log.jsonl").read_text().splitlines()
    wrong = [log[0], *log[1:]]
    wrong[1] = (
        wrong[1].replace('"action": "NOTHING"', '"action": "CLOSE"').replace('"action": "CANCEL"', '"action": "CLOSE"')
    )
    (tmp_path / "wrong.jsonl").write_text("\n".join(wrong) + "\n")
    made = soid.open(soid_folder).sweep([ALWAYS], logs=[tmp_path / "*.jsonl"])
    assert [row.verdict for row in made.rows].count(Verdict.ERROR) == 1
    assert made.open[0].reason.startswith("log mismatch") and made.open[0].step == 1
    assert made.summary().endswith("At 1 there is no answer.")


def test_moments_without_an_answer_are_listed_by_their_reason():
    def row(log, step, reason):
        return SweepRow(log, step, "did move", Verdict.UNKNOWN, reason, (), {}, 0.0)

    rows = [row("x/a.csv", step, "late") for step in (3, 4, 5, 9)]
    rows += [row("a.csv", 6, "open"), row("b.csv", None, "late")]
    found = listed_moments(rows)
    assert found == {("unknown", "late"): "a.csv 3..5, 9; b.csv", ("unknown", "open"): "a.csv 6"}


def test_a_sweep_does_not_go_on_with_rows_of_the_same_log_as_it_was(tmp_path):
    """The project's own log counts, too; a table in memory can be swept into a file, but not gone on with."""
    shutil.copytree(folder("microwave"), tmp_path / "oven")
    oven = soid.open(tmp_path / "oven")
    oven.sweep("did action == CLOSE", to=tmp_path / "rows.csv")
    assert oven.sweep("did action == CLOSE", to=tmp_path / "rows.csv", resume=True).solver_calls == 0
    log = tmp_path / "oven" / "log.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(InputError, match="are about another log"):
        soid.open(tmp_path / "oven", step=1).sweep("did action == CLOSE", to=tmp_path / "rows.csv", resume=True)
    table = pd.read_json(log, lines=True)
    soid.open(tmp_path / "oven", trace=table, step=1).sweep("did action == CLOSE", to=tmp_path / "table.csv")
    with pytest.raises(InputError, match="are about another log"):
        soid.open(tmp_path / "oven", trace=table, step=1).sweep(
            "did action == CLOSE", to=tmp_path / "table.csv", resume=True
        )


def test_a_script_is_swept_with_the_project_and_the_log_that_it_names(tmp_path, capsys):
    shutil.copytree(folder("microwave"), tmp_path / "oven")
    script = tmp_path / "questions.soid"
    script.write_text(
        'project "oven"\ntrace "oven/log.jsonl" at step 2\nfamily open_door = closed == false and heat is anything\n'
        "did action == CLOSE\nwould action == CANCEL if open_door"
    )
    assert main(["sweep", str(script), "--json"]) == 0
    *rows, whole = map(json.loads, capsys.readouterr().out.splitlines())
    assert {(row["log"], row["step"]) for row in rows} == {(str(tmp_path / "oven/log.jsonl"), at) for at in range(5)}
    asked = [each["question"] for each in whole["questions"]]
    assert asked == ["did action == CLOSE", "would action == CANCEL if closed == false and heat is anything"]
    in_python = soid.open(tmp_path / "oven").sweep(script)
    assert list(in_python.texts) == asked
    assert [row.verdict.value for row in in_python.rows] == [row["verdict"] for row in rows]
    script.write_text('project "oven"\ndid action == CLOSE\nconclude "it did"')
    assert main(["sweep", str(script)]) == 18
    told = " ".join(capsys.readouterr().err.split())  # where it is wrapped depends on the length of the path
    assert "questions.soid, line 3, column 1: `conclude` has no meaning in a sweep" in told
    assert main(["sweep", str(script), "did heat"]) == 10


def test_rows_about_a_program_in_a_world_are_gone_on_with(tmp_path):
    """Its manifest's tables are part of what it is told apart by, and are read anew each time."""
    for resume in (False, True):
        made = soid.open(folder("crash")).sweep("did move", steps="11", to=tmp_path / "rows.csv", resume=resume)
        assert len(made.rows) == 1
