"""Programs that come as LLVM IR: from Rust, from an old clang, without debug info; each answers, each is replayed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from soid.case.project import Project
from soid.errors import ProgramError
from soid.oracle.answer import Answer

HERE = Path(__file__).parent


def _ask(folder: Path, *questions: str) -> list[Answer]:
    project = Project.open(folder)
    answers = [project.ask(question) for question in questions]
    project.solver.close()
    return answers


def _confirmed(answers: list[Answer]) -> bool:
    shown = [answer.witness.replayed for answer in answers if answer.witness is not None]
    return bool(shown) and all(words.startswith("by running the compiled program") for words in shown)


def test_a_decision_in_rust():
    answers = _ask(
        HERE / "rust",
        "did dose.units == 3.0",
        "would dose.units > 0 if reading.trend is anything",
        "might dose.alarm if reading.age is anything",
        "might dose.units > 6.0 if reading.glucose is anything and reading.trend is anything",
        "would not dose.alarm if reading.glucose is anything",
    )
    assert [answer.verdict.value for answer in answers] == ["yes", "yes", "yes", "no", "no"]
    assert _confirmed(answers)
    alarmed = answers[2].witness
    assert alarmed is not None and alarmed.inputs["reading.age"] == 31, "the nearest one"
    assert any("rustc version 1.95.0" in each.text for each in answers[0].relies_on)


def test_optimised_bitcode_of_an_old_clang(tmp_path: Path):
    shutil.copy(HERE / "clang14" / "gate.bc", tmp_path)
    (tmp_path / "soid.toml").write_text(
        '[program]\nengine = "llvm"\nsources = ["gate.bc"]\nentry = "decide"\n[trace]\nfile = "log.jsonl"\n'
    )
    seen = {"distance": [4.0, 3.0, 5.0, 6.0], "fire": False}
    inputs = {"seen": seen, "limits": {"low": 1.0, "high": 2.0}, "wish": 4, "opened": 0, "locked": False}
    row = {"step": 0, **inputs, "*open": False, "return": 8}
    (tmp_path / "log.jsonl").write_text(json.dumps(row) + "\n")
    answers = _ask(
        tmp_path,
        "did return == 8",
        "might *open if limits.high is anything",
        "would not *open if -5 <= wish <= -1 and limits.high is anything",
        "would return > wish if 1 <= wish <= 1000000",
        "might fails if wish is anything",
    )
    assert [answer.verdict.value for answer in answers] == ["yes", "yes", "yes", "yes", "yes"]
    assert _confirmed(answers[:4])
    overflow = answers[4].witness
    assert overflow is not None and "signed overflow" in str(overflow.ending)
    assert "no traps can be put into ready-made LLVM IR" in overflow.replayed


PLAIN = """
target triple = "x86_64-unknown-linux-gnu"
define zeroext i8 @decide(float %0, i16 zeroext %1, ptr %2, ptr %3) {
  %fast = fcmp ogt float %0, 2.0
  %at = getelementptr inbounds double, ptr %3, i64 3
  %cell = load double, ptr %at
  %low = fcmp olt double %cell, 0.0
  %both = and i1 %fast, %low
  %gear = zext i16 %1 to i32
  %chosen = select i1 %both, i32 %gear, i32 -1
  store i32 %chosen, ptr %2
  %said = zext i1 %fast to i8
  ret i8 %said
}
"""
MANIFEST = '[program]\nengine = "llvm"\nsources = ["plain.ll"]\nentry = "decide"\n'
NAMED = 'parameters = ["speed: float32", "gear", "out: *int32", "cells: *float64[4]"]\n'


def test_ir_without_debug_info(tmp_path: Path):
    (tmp_path / "plain.ll").write_text(PLAIN)
    (tmp_path / "soid.toml").write_text(MANIFEST + NAMED + '[trace]\nfile = "log.jsonl"\n')
    row = {"step": 0, "speed": 1.0, "gear": 3, "cells": [0, 0, 0, -1.0], "*out": -1, "return": 0}
    (tmp_path / "log.jsonl").write_text(json.dumps(row) + "\n")
    answers = _ask(
        tmp_path, "did *out == -1", "might *out == 3 if speed is anything", "would return == 1 if 3 <= speed <= 9"
    )
    assert [answer.verdict.value for answer in answers] == ["yes", "yes", "yes"]
    assert _confirmed(answers)


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ("", "it is not known what the parameter parameter3 of decide points to"),
        ('parameters = ["speed"]\n', "decide takes 4 parameters, and soid.toml names 1"),
        (NAMED.replace("float32", "float64"), "the parameter speed of decide is a float, and soid.toml says otherwise"),
        (NAMED.replace("gear", "gear: float16"), "the parameter gear of decide is a i16, and soid.toml says otherwise"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(parameters: str, told: str, tmp_path: Path):
    (tmp_path / "plain.ll").write_text(PLAIN)
    (tmp_path / "soid.toml").write_text(MANIFEST + parameters)
    with pytest.raises(ProgramError) as caught:
        Project.open(tmp_path)
    assert told in caught.value.cause


def test_ir_for_another_machine_is_refused(tmp_path: Path):
    (tmp_path / "plain.ll").write_text(PLAIN.replace("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"))
    (tmp_path / "soid.toml").write_text(MANIFEST + NAMED)
    with pytest.raises(ProgramError, match="the IR is made for aarch64-unknown-linux-gnu"):
        Project.open(tmp_path)
