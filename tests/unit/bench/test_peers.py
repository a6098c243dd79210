"""Questions for others: the harness says what the question says, and reports are read with care."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from soid.bench.harness import PROPERTY, Entry, harness, verdict
from soid.bench.peers import QUESTIONS, Peer, Row, Timed, cbmc, judged, measure, run
from soid.budget import Cancellation
from soid.case.case import Case
from soid.cli import bench_peers as command
from soid.errors import InputError
from soid.examples import folder
from soid.query.query import Kind
from soid.scenario.family import Family

ENTRY = Entry("car.c", "struct world world; struct memory memory;", "drive(&world, &memory);")


@pytest.fixture(scope="module")
def standard() -> Case:
    return Case.open(folder("crash") / "standard")


def written(case: Case, text: str) -> str:
    query = case.query(text)
    return harness(
        query, Family(case.program.interface, case.keyframe.inputs, query.suppositions, pinning=False), ENTRY
    )


def test_a_harness_has_fact_family_and_behavior(standard: Case) -> None:
    text = written(standard, "would move if world.agents[1].signal is anything and 1.0 <= world.agents[1].x <= 1.5")
    lines = [line.strip() for line in text.splitlines()]
    x = float.fromhex(next(line for line in lines if line.startswith("world.agents[0].x = "))[20:-2])
    assert x == pytest.approx(2.19375)
    assert "world.agents[1].signal = nondet_unsigned();" in lines and "world.agents[1].x = nondet_float();" in lines
    assert any("signal == STRAIGHT || " in line and line.startswith("__CPROVER_assume(") for line in lines)
    low, high = "0x1.0000000000000p+0f <= world.agents[1].x", "world.agents[1].x <= 0x1.8000000000000p+0f"
    assert f"__CPROVER_assume(({low}) && ({high}));" in lines
    assert any("*(unsigned *)&world.agents[1].x != 0x" in line and "signal != 2" in line for line in lines)
    assert lines[-3:] == ["drive(&world, &memory);", f'__CPROVER_assert(move, "{PROPERTY}");', "}"]


def test_a_might_asserts_the_opposite(standard: Case) -> None:
    text = written(standard, "might not move if world.agents[1].signal in {STRAIGHT, LEFT}")
    assert f'__CPROVER_assert(!(!(move)), "{PROPERTY}");' in text
    assert "signal == STRAIGHT || world.agents[1].signal == LEFT" in text
    assert [verdict(kind, holds) for kind in (Kind.WOULD, Kind.MIGHT) for holds in (True, False)] == [
        "yes",
        "no",
        "no",
        "yes",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "did move",
        "would move if world.agents[1].x within 0.1 of fact",
        "might fails if world.agents[1].signal is anything",
        "might memory.waited' > 3 if world.agents[1].signal is anything",
        "would move if world.agents[1].x + 1.0 < 2.0",
    ],
)
def test_what_cannot_be_written_is_refused(standard: Case, text: str) -> None:
    with pytest.raises(InputError, match="cannot be written as a harness"):
        written(standard, text)


def test_every_harness_compiles(standard: Case, tmp_path: Path) -> None:
    assert standard.manifest is not None
    compiler = ["gcc", "-fsyntax-only", "-DDRIVER_STANDARD", "-I", str(folder("crash")), "-Werror=implicit"]
    files = []
    for number in QUESTIONS:
        text = written(standard, standard.manifest.questions[number])
        files.append(tmp_path / f"h{number}.c")
        builtins = "void __CPROVER_assume(int); void __CPROVER_assert(int, const char *);\n"
        files[-1].write_text(builtins + text)
    try:
        subprocess.run([*compiler, *map(str, files)], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no C compiler outside of the wheel")


def report(**statuses: str) -> str:
    results = [{"description": name.replace("_", " "), "status": status} for name, status in statuses.items()]
    return json.dumps([{"program": "CBMC"}, {"result": results}])


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (report(the_behavior="SUCCESS"), "yes"),
        (report(the_behavior="FAILURE"), "no"),
        (report(the_behavior="FAILURE", unwinding="FAILURE"), "no"),
        (report(the_behavior="SUCCESS", unwinding="FAILURE"), "unknown"),  # a loop went round more often
        (report(the_behavior="UNKNOWN"), "unknown"),
        (report(something_else="SUCCESS"), "unknown"),
        ("Segmentation fault", "unknown"),
        ("{}", "unknown"),
    ],
)
def test_a_report_is_a_verdict_only_where_it_is_about_the_behavior(said: str, expected: str) -> None:
    assert judged(Kind.WOULD, said) == expected


def stand_in(folder: Path, script: str) -> Path:
    """A program in place of cbmc."""
    file = folder / "cbmc"
    file.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo 6.6.0 && exit\n{script}\n')
    file.chmod(file.stat().st_mode | stat.S_IEXEC)
    return file


def test_others_are_run_in_the_same_run(tmp_path: Path) -> None:
    quick = Peer("quick", str(stand_in(tmp_path, f"echo '{report(the_behavior='FAILURE')}'")))
    found: list[Row] = []
    cancel = Cancellation()

    def once(words: str) -> None:
        if words.startswith("impatient"):
            cancel.cancel()

    measure(folder("crash"), [quick, Peer("missing", None, "Install it.")], 100.0, found, cancel, once, questions=[1])
    (row,) = found
    assert (row.driver, row.first.verdict, row.again.verdict) == ("standard", "no", "no")
    assert row.peers == {"quick": replace(row.peers["quick"], verdict="no", ended=False)}
    assert row.agrees


def test_who_takes_too_long_is_stopped() -> None:
    began = time.monotonic()
    assert run(["sleep", "60"], 0.2, Cancellation()) is None
    cancel = Cancellation()
    cancel.cancel()
    assert run(["sleep", "60"], 60.0, cancel) is None
    assert time.monotonic() - began < 30
    assert run(["echo", "said"], 60.0, Cancellation()) == "said\n"


def test_who_contradicts_is_seen_and_who_is_missing_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [Row("standard", "would move", Timed("no", 1.0), Timed("no", 0.1), {"cbmc": Timed("yes", 4.0)})]
    assert not rows[0].agrees
    monkeypatch.setattr(command, "cbmc", lambda _: Peer("cbmc", "cbmc"))
    monkeypatch.setattr(command, "measure", lambda *args: args[3].extend(rows))
    assert command.bench_peers(None, 5.0, as_json=False) == 1
    assert "4.00 (yes)" in capsys.readouterr().out
    monkeypatch.setattr(command, "cbmc", lambda _: Peer("cbmc", None, "Install it."))
    rows[0] = Row("standard", "would move", Timed("no", 1.0), Timed("no", 0.1), {})
    assert command.bench_peers(None, 5.0, as_json=False) == 0
    assert "cbmc is not here" in capsys.readouterr().out
    assert command.bench_peers(None, 5.0, as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["missing"] == ["cbmc"]


def test_a_cbmc_that_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="there is no"):
        cbmc(tmp_path / "cbmc")
    monkeypatch.setitem(os.environ, "PATH", str(tmp_path))
    assert not cbmc().is_here
