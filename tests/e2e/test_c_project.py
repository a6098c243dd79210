"""A program in C, asked straight from its source."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.e2e.running import Soid


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> Path:
    """What has been compiled, of a program that most tests leave as it is."""
    found: Path = tmp_path_factory.mktemp("cache")
    return found


@pytest.fixture
def guard(tmp_path, command, environment, cache) -> Soid:
    project = tmp_path / "guard"
    shutil.copytree(Path(__file__).parent / "guard", project)
    return Soid(command, project, environment | {"SOID_CACHE": str(cache)})


def test_inspect_finds_the_interface(guard):
    said = guard("inspect", "--json").json
    assert (said["program"], said["engine"], said["files"]) == ("crossing guard", "llvm", ["guard.c"])
    roles = {v["path"]: v["role"] for v in said["variables"]}
    assert roles == {
        "w.agents[0].pos_x": "environment",
        "w.agents[0].speed": "environment",
        "w.agents[1].pos_x": "environment",
        "w.agents[2].pos_x": "environment",
        "w.signal": "environment",
        "plan.move": "decision",
        "plan.brake": "decision",
        "plan.reason": "decision",
        "*debug": "decision",
        "entered": "state",
        "horn[0]": "environment",
        "horn[1]": "environment",
        "safe_to_enter()": "internal",
        "safe_to_enter:closest": "internal",
        "safe_to_enter:i": "internal",
    }


def test_inspect_needs_no_manifest(guard):
    (guard.project / "soid.toml").unlink()
    ran = guard("inspect", "guard.c", "--entry", "decide")
    assert ran.status == 0
    for line in (
        "decide in guard.c",
        "w.agents[0].pos_x  environment  float32",
        "plan.move          decision     bool",
    ):
        assert line in ran.out
    assert "temperature" not in ran.out


def test_inspect_without_an_entry_names_the_functions(guard):
    ran = guard("inspect", "guard.c")
    assert ran.status == 12
    assert "The program defines: decide, safe_to_enter." in ran.err


def test_what_the_compiler_says_reaches_the_user(guard):
    guard.edit("guard.c", "plan->reason = 0;", "plan->raison = 0;")
    ran = guard("inspect")
    assert ran.status == 24
    assert "guard.c:24:11: error: no member named 'raison' in 'struct plan'" in ran.err


def test_the_manifest_s_questions(guard):
    first, second = guard("ask", "--step", "0", "--json").all_json
    assert (first["verdict"], second["verdict"]) == ("yes", "no")
    assert second["changed"] == [{"variable": "w.agents[0].pos_x", "fact": 20.5, "scenario": 10.0, "unit": "m"}]
    texts = [each["text"] for each in first["relies_on"]]
    assert "not known, so that every value of its domain counts: entered (0 to 1000)" in texts
    assert first["origins"]["assumed"] == [{"variable": "entered", "over": "0 to 1000", "unit": ""}]
    assert any("each call in turn of read_horn gives the logged horn" in text for text in texts)


def test_what_was_never_reached_is_neither_true_nor_false(guard):
    questions = ("did safe_to_enter()", "did not safe_to_enter()", "might safe_to_enter() if w.signal is anything")
    answers = guard("ask", "--step", "1", "--json", *questions).all_json
    assert [answer["verdict"] for answer in answers] == ["no", "no", "yes"]
    assert "never reached" in answers[0]["reason"]
    assert "never reached" in answers[1]["reason"]


def test_values_inside_compared_with_the_fact(guard):
    question = "might safe_to_enter:closest > fact(safe_to_enter:closest) if w.agents[2].pos_x is anything"
    answer = guard("ask", "--step", "0", "--json", question).json
    assert (answer["verdict"], answer["reason_code"]) == ("unknown", "fact_assumed")  # `entered` is not known
    guard.edit("soid.toml", "[trace]\n", "[trace]\nfrom_start = true\n")
    answer = guard("ask", "--step", "0", "--json", question).json
    assert answer["verdict"] == "yes"
    assert answer["witness"]["outputs"]["safe_to_enter:closest"] > 12
    (entered,) = answer["origins"]["derived"]
    assert entered == {"variable": "entered", "value": 5, "unit": "", "since": "its first call"}
    assert "from-start" in [each["id"] for each in answer["relies_on"]]


def test_state_after_the_call_and_calls_in_turn(guard):
    answers = guard(
        "ask",
        "--step",
        "0",
        "--json",
        "would entered' == entered + 1 if entered is anything",
        "might plan.reason == HORN if horn[1] is anything",
        "might plan.reason == HORN if horn[1] <= 2 and horn[0] <= 2",
    ).all_json
    assert [answer["verdict"] for answer in answers] == ["yes", "yes", "no"]


def test_a_call_that_is_not_logged_is_unknown(guard):
    guard.edit("soid.toml", "horn = 2", "horn = 1")
    guard.edit("soid.toml", '[trace]\nfile = "log.jsonl"', '[trace]\nfile = "log.jsonl"\nignore = ["horn[1]"]')
    answer = guard("ask", "--step", "1", "--json", "would plan.reason == HORN if horn[0] is anything").json
    assert answer["verdict"] == "unknown"
    assert "more calls of read_horn than logged at guard.c:28" in answer["reason"]


def test_an_input_that_is_not_logged_is_not_known(guard):
    guard.edit("log.jsonl", '"signal": "LEFT", ', "")
    answer = guard("ask", "--step", "0", "--json", "did plan.move").json
    assert (answer["verdict"], answer["reason_code"]) == ("yes", "assumed_alike")  # as logged, whatever it was
    assert "whatever entered and signal were, it is so" in answer["reason"]
    inspected = guard("inspect", "--step", "0", "--json").json["variables"]
    (signal,) = (each for each in inspected if each["path"] == "w.signal")
    assert (signal["fact"], signal["origin"]) == (None, "assumed")
    shown = " ".join(guard("inspect", "--step", "0").out.split())
    assert "in fact not known" in shown and "[trace] from_start = true" in shown
    assert re.search(r"Not known: (w\.signal, entered|entered, w\.signal)\.", shown)


def test_nothing_is_compiled_for_a_value_that_is_not_known(guard):
    ran = guard("compile", "--step", "0", "--free", "w.signal", ".")
    assert ran.status == 10
    assert "what entered was at step 0 is not known" in ran.err
    assert "--free w.signal,entered" in ran.err
    assert guard("compile", "--step", "0", "--free", "w.signal,entered", ".").status == 0


def test_a_variable_that_the_program_never_touches(guard):
    ran = guard("ask", "would plan.move if w.temperature is anything")
    assert ran.status == 19
    assert "does nothing with it" in ran.err
