"""`soid sweep` as it is typed: rows as JSON and in files, Ctrl-C and going on, and what is wrong on purpose."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys

import pytest

from soid.cli import exits
from soid.examples import folder
from tests.e2e.running import Soid

OVEN = ("--project", str(folder("microwave")))
ASKED = "might action == CLOSE if closed is anything and error is anything"


@pytest.fixture
def soid(command, tmp_path, environment):
    return Soid(command, tmp_path, environment)


def test_rows_as_json_end_with_what_came_of_them(soid):
    asked = "would action == CANCEL if closed is anything"
    *rows, last = soid("sweep", asked, *OVEN, "--steps", "2..3", "--json").all_json
    assert [(row["event"], row["step"], row["verdict"]) for row in rows] == [("row", 2, "no"), ("row", 3, "yes")]
    assert [(row["changed"], row["witness"]) for row in rows] == [([], {}), ([], {})]  # in no scenario, in every one
    assert last["event"] == "sweep" and last["complete"] and last["questions"][0]["verdicts"] == {"yes": 1, "no": 1}


def test_a_row_has_the_scenario_that_shows_it(soid):
    crash = ("--project", str(folder("crash")), "--steps", "11", "--json")
    other = "world.agents[1]"
    (row, _) = soid("sweep", f"would move if {other}.signal is anything and {other}.x is anything", *crash).all_json
    assert row["verdict"] == "no" and row["changed"] == [f"{other}.signal"]
    assert list(row["witness"]) == row["changed"] and row["witness"][f"{other}.signal"] != "RIGHT"


def test_moments_are_chosen_by_a_condition(soid):
    rows = soid("sweep", ASKED, *OVEN, "--steps", "where error", "--json").all_json[:-1]
    assert [row["step"] for row in rows] == [3, 4]


def test_rows_go_into_a_file_and_are_gone_on_with(soid, tmp_path):
    file = tmp_path / "rows.csv"
    soid("sweep", ASKED, *OVEN, "--steps", "0..2", "--to", str(file))
    assert soid("sweep", ASKED, *OVEN, "--to", str(file)).status == 10
    went_on = soid("sweep", ASKED, *OVEN, "--to", str(file), "--resume", "--json")
    assert [row["step"] for row in went_on.all_json[:-1]] == [3, 4]
    with file.open(newline="") as rows:
        assert [row["step"] for row in csv.DictReader(rows)] == ["0", "1", "2", "3", "4"]


def test_one_row_is_opened_by_what_the_sweep_says(soid):
    said = soid("sweep", ASKED, *OVEN).out.replace("\n  ", " ")
    assert f"soid ask '{ASKED}' --project {folder('microwave')} --step 0" in said


def test_wrong_words_have_their_remedy(soid):
    assert "where CONDITION" in soid("sweep", ASKED, *OVEN, "--steps", "some").err
    assert "pattern in quotes" in soid("sweep", ASKED, *OVEN, "--log", "none/*.csv").err
    assert soid("sweep", ASKED, ASKED, *OVEN).status == 18


def test_a_log_that_cannot_be_read_is_a_row(soid, tmp_path):
    (tmp_path / "broken.jsonl").write_text("{")
    ran = soid("sweep", ASKED, *OVEN, "--log", str(tmp_path / "*.jsonl"), "--json")
    assert ran.status == exits.VERDICTS["error"]
    assert ran.all_json[0]["step"] is None and "broken.jsonl" in ran.all_json[0]["reason"]


def test_ctrl_c_keeps_what_there_is(tmp_path):
    """The first row is waited for, then the sweep of 300 moments is stopped."""
    file = tmp_path / "rows.jsonl"
    words = ["sweep", "did return.alarm", "--project", str(folder("drone")), "--to", str(file), "--json"]
    command = [sys.executable, "-m", "soid", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.readline()
        running.send_signal(signal.SIGINT)
        rest = running.stdout.read().splitlines()
        assert "nothing was concluded" not in running.stderr.read()  # it has rows
    assert running.returncode == exits.INTERRUPTED
    kept = [json.loads(line) for line in file.read_text().splitlines()]
    last = json.loads(rest[-1])
    assert 0 < len(kept) < 300
    assert (last["event"], last["complete"], last["rows"]) == ("sweep", False, len(kept))
