"""Traces: logs in both formats become bits; and keyframes."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from soid.engine.manifest_reader import load
from soid.engine.smtlib.smtlib_source import SmtLibSource
from soid.errors import EmptyTraceError, KeyframeError, TraceError
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.program.domain import AnyBitsDomain, Range
from soid.program.interface import Interface, Role, Variable
from soid.program.manifest import Manifest
from soid.program.program import Program
from soid.program.trace_table import LogMapping
from soid.program.types import BoolType, EnumType, FloatType, IntType, parse
from soid.scenario.trace import Step, Trace
from soid.scenario.trace_reader import read, read_for
from tests.unit.scenario.written import write_jsonl

SINGLE, DOUBLE = FloatType(FLOAT32), FloatType(FLOAT64)
SIGNAL = EnumType("", 8, False, (("OFF", 0), ("LEFT", 1), ("RIGHT", 2)))
INTERFACE = Interface(
    (
        Variable("error", Role.ENVIRONMENT, BoolType()),
        Variable("world.agents[0].x", Role.ENVIRONMENT, SINGLE, unit="m"),
        Variable("world.agents[1].x", Role.ENVIRONMENT, SINGLE, Range(parse(SINGLE, "0"), parse(SINGLE, "3")), "m"),
        Variable("world.signal", Role.ENVIRONMENT, SIGNAL),
        Variable("started", Role.STATE, BoolType()),
        Variable("go", Role.DECISION, IntType(8, signed=True)),
    )
)
INPUTS = {"error": 1, "world.agents[0].x": 0x3FB020C5, "world.agents[1].x": 0, "world.signal": 2, "started": 0}


def log(folder: Path, text: str, name: str = "log.jsonl") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8", newline="")
    return file


NESTED = (
    '{"step": 7, "error": true, "world": {"agents": [{"x": 1.376}, {"x": 0}], "signal": "RIGHT"}, "started": false,'
    ' "go": -1, "started\'": true}\n'
)
FLAT = (
    '{"step": 7, "error": 1, "world.agents[0].x": "1.376", "world->agents[1].x": 0.0, "world": {"signal": 2},'
    ' "started": "false", "started\'": "true", "go": "-1"}'
)
TABLE = (
    "step,error,world.agents[0].x,world.agents[1].x,world.signal,started,go,started'\r\n"
    '7,true,1.376,0,"RIGHT",False,-1,1\r\n'
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nested.jsonl", NESTED),
        ("flat.jsonl", FLAT),
        ("mark.ndjson", "\ufeff\r\n" + NESTED.replace("\n", "\r\n") + "\n  \n"),
        ("table.csv", TABLE),
        ("mark.csv", "\ufeff" + TABLE.replace("\r\n", "\n\n")),
        ("semicolons.csv", TABLE.replace(",", "; ")),
        ("tabs.tsv", TABLE.replace(",", "\t")),
    ],
)
def test_one_step_in_every_form(tmp_path: Path, name: str, text: str) -> None:
    trace = read(log(tmp_path, text, name), INTERFACE)
    assert len(trace) == 1
    step = trace.steps[0]
    assert step.time == 7
    assert step.inputs == INPUTS
    assert list(step.inputs) == [variable.path for variable in INTERFACE.inputs]
    assert step.decisions == {"go": 255, "started'": 1}


def test_the_place_of_each_step(tmp_path: Path) -> None:
    file = log(tmp_path, "\n" + NESTED + "\n" + NESTED.replace("7", "9"))
    assert [step.source for step in read(file, INTERFACE)] == [f"{file}:2", f"{file}:4"]
    rows = TABLE.replace(",go", ',"go"') + "\r\n" + '8,0,"1.5\n",1,"LEFT ",0,,\r\n9,0,1,1,0,0,,\r\n'
    table = log(tmp_path, rows, "log.csv")
    assert [step.source for step in read(table, INTERFACE)] == [f"{table}:2", f"{table}:4", f"{table}:6"]


def test_decisions_may_be_missing(tmp_path: Path) -> None:
    without = NESTED.replace(', "started\'": true', "").replace('"go": -1', '"go": null')
    assert read(log(tmp_path, without), INTERFACE).steps[0].decisions == {}
    rows = TABLE.replace("-1,1", ",1")
    assert read(log(tmp_path, rows, "log.csv"), INTERFACE).steps[0].decisions == {"started'": 1}


def test_steps_without_numbers_are_counted(tmp_path: Path) -> None:
    file = log(tmp_path, NESTED.replace('"step": 7, ', "") * 3)
    assert [step.time for step in read(file, INTERFACE)] == [0, 1, 2]


def test_a_variable_called_step_is_a_variable(tmp_path: Path) -> None:
    interface = Interface((Variable("step", Role.ENVIRONMENT, IntType(8, signed=False)),))
    file = log(tmp_path, '{"step": 9}\n{"step": 3}\n')
    assert [(step.time, step.inputs["step"]) for step in read(file, interface)] == [(0, 9), (1, 3)]
    numbered = log(tmp_path, '{"step": 9, "frame": 5}\n{"step": 3, "frame": 8}\n')
    trace = read(numbered, interface, step_column="frame")
    assert [(step.time, step.inputs["step"]) for step in trace] == [(5, 9), (8, 3)]
    assert read(log(tmp_path, write_jsonl(trace, "frame")), interface, step_column="frame") == trace


@pytest.mark.parametrize("scene", ['"scene": {"lanes": [[1, 2], "x"]}', '"scene[3].x": 4, "scene": 1', '"scene": []'])
def test_what_is_ignored_may_be_anything(tmp_path: Path, scene: str) -> None:
    file = log(tmp_path, NESTED.replace('"step"', f'{scene}, "step"'))
    assert read(file, INTERFACE, ignore=("scene",)).steps[0].inputs == INPUTS


@pytest.mark.parametrize(
    ("written", "kind", "bits"),
    [
        ("NaN", SINGLE, FLOAT32.nan),
        ("-Infinity", SINGLE, FLOAT32.infinity | FLOAT32.sign_bit),
        ('"inf"', DOUBLE, FLOAT64.infinity),
        ('"nan(0x7fc00001)"', SINGLE, 0x7FC00001),
        ('"bits(0xff800001)"', SINGLE, 0xFF800001),
        ('"0x1.8p1"', SINGLE, 0x40400000),
        ("-0.0", SINGLE, 0x80000000),
        ("-0", SINGLE, 0x80000000),
        ("1e-999999999999", SINGLE, 0),
        ("16777217", SINGLE, 0x4B800000),
        ("16777217.000000000000000000001", SINGLE, 0x4B800001),  # a double could not tell it from the tie
        ("1.000000059604644775390625000000000000001", SINGLE, 0x3F800001),
        ("1e-45", SINGLE, 1),
        ("0.1", DOUBLE, 0x3FB999999999999A),
        ("9223372036854775807", IntType(64, signed=True), (1 << 63) - 1),
        ("-9223372036854775808", IntType(64, signed=True), 1 << 63),
        ("18446744073709551615", IntType(64, signed=False), (1 << 64) - 1),
        ("2", SIGNAL, 2),
        ('"LEFT"', SIGNAL, 1),
    ],
)
def test_values_keep_what_was_written(tmp_path: Path, written: str, kind: FloatType | IntType, bits: int) -> None:
    interface = Interface((Variable("x", Role.ENVIRONMENT, kind),))
    assert read(log(tmp_path, f'{{"x": {written}}}'), interface).steps[0].inputs == {"x": bits}
    cell = written.strip('"')
    assert read(log(tmp_path, f"x\n{cell}\n", "log.csv"), interface).steps[0].inputs == {"x": bits}


def test_a_flag_may_be_logged_as_a_number_and_a_number_as_a_flag(tmp_path: Path) -> None:
    interface = Interface(
        (Variable("flag", Role.ENVIRONMENT, BoolType()), Variable("count", Role.ENVIRONMENT, IntType(8, signed=True)))
    )
    assert read(log(tmp_path, '{"flag": 1, "count": true}'), interface).steps[0].inputs == {"flag": 1, "count": 1}


def test_any_bits_lets_an_enumeration_have_no_label(tmp_path: Path) -> None:
    interface = Interface((Variable("signal", Role.ENVIRONMENT, SIGNAL, AnyBitsDomain()),))
    trace = read(log(tmp_path, '{"signal": 200}'), interface)
    assert trace.steps[0].inputs == {"signal": 200}
    assert read(log(tmp_path, write_jsonl(trace)), interface) == trace


# --- keyframes ------------------------------------------------------------------------------------------------


def _trace(*times: int) -> Trace:
    return Trace(INTERFACE, tuple(Step(time, INPUTS, {"go": 255}, f"log.jsonl:{time}") for time in times), "log.jsonl")


def test_a_keyframe_in_the_programs_words() -> None:
    keyframe = _trace(3, 5).keyframe(5)
    assert (keyframe.step, keyframe.inputs, keyframe.decisions) == (5, INPUTS, {"go": 255})
    assert keyframe.describe().splitlines() == [
        "step 5 (log.jsonl:5)",
        "  error = true",
        "  world.agents[0].x = 1.376 m",
        "  world.agents[1].x = 0.0 m",
        "  world.signal = RIGHT",
        "  started = false",
        "  go = -1",
    ]


def test_the_steps_after_a_keyframe() -> None:
    keyframe = _trace(3, 5, 6, 7, 9).keyframe(5)
    assert [step.time for step in keyframe.following(2)] == [6, 7]
    assert keyframe.following(0) == ()
    with pytest.raises(KeyframeError, match=r"step 8 is not in .*, and 4 steps from step 5 on need it"):
        keyframe.following(3)


@pytest.mark.parametrize(("step", "nearest"), [(-4, 3), (4, 3), (8, 9), (99, 9), (10**30, 9)])
def test_a_step_that_is_not_there_names_the_nearest(step: int, nearest: int) -> None:
    with pytest.raises(KeyframeError) as caught:
        _trace(3, 5, 9).keyframe(step)
    assert caught.value.cause == f"step {step} is not in log.jsonl, whose steps go from 3 to 9"
    assert caught.value.remedy == f"The nearest is step {nearest}."


def test_a_trace_has_a_step() -> None:
    with pytest.raises(EmptyTraceError):
        Trace(INTERFACE, ())


def test_steps_can_be_sent_to_another_process_and_put_into_sets(tmp_path: Path) -> None:
    trace = read(log(tmp_path, NESTED), INTERFACE)
    step = trace.steps[0]
    assert pickle.loads(pickle.dumps(step)) == step
    assert len({step, read(log(tmp_path, FLAT), INTERFACE).steps[0]}) == 1
    assert repr(step.decisions) == "{'go': 255, \"started'\": 1}"


# --- settings of a manifest -----------------------------------------------------------------------------------


def test_a_manifest_says_how_its_log_is_read(tmp_path: Path) -> None:
    (tmp_path / "path.smt2").touch()
    log(tmp_path, '{"frame": 4, "x": 1, "go": 1, "scene": {"x": 1}}\n')
    manifest = load(
        log(
            tmp_path,
            """
            program = { engine = "smtlib", paths = ["path.smt2"] }
            trace = { file = "log.jsonl", step = "frame", ignore = ["scene"] }
            variables.x = { role = "environment", type = "int8" }
            variables.go = { role = "decision", type = "bool" }
            """,
            "soid.toml",
        )
    )
    assert [step.time for step in read_for(manifest)] == [4]
    other = log(tmp_path, '{"frame": 5, "x": 1}\n', "other.jsonl")
    assert [step.time for step in read_for(manifest, other)] == [5]


def test_a_manifest_without_a_log(tmp_path: Path) -> None:
    program = Program("p", INTERFACE, SmtLibSource(()), tmp_path)
    with pytest.raises(TraceError, match=r"soid\.toml names no log"):
        read_for(Manifest(Path("soid.toml"), program))


GAPPED = Interface(
    (
        Variable("lactate", Role.ENVIRONMENT, FloatType(FLOAT64, missing=True), Range(0, parse(DOUBLE, "20"))),
        Variable("arrival", Role.ENVIRONMENT, EnumType("", 8, True, (("WALKED", 0), ("NONE", -1)), missing=-1)),
        Variable("age", Role.ENVIRONMENT, DOUBLE),
    )
)
TOLD = LogMapping(missing=frozenset({"NA"}), empty_is_missing=True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ward.csv", "lactate,arrival,age\n,WALKED,67\n4.4,,70\nNA,NA,1\n"),
        ("ward.jsonl", '{"lactate":null,"arrival":0,"age":67}\n{"lactate":4.4,"arrival":null,"age":70}\n'),
    ],
)
def test_an_empty_cell_is_a_missing_value_if_the_manifest_says_so(name: str, text: str, tmp_path: Path) -> None:
    found = read(log(tmp_path, text, name), GAPPED, mapping=TOLD)
    assert [step.unlogged for step in found.steps] == [()] * len(found.steps)
    assert [step.inputs["lactate"] for step in found.steps][:2] == [FLOAT64.nan, parse(DOUBLE, "4.4")]
    assert [step.inputs["arrival"] for step in found.steps][:2] == [0, 0xFF]
    assert not found.warnings  # a missing value lies in no domain, and is no NaN that somebody wonders about
    unsaid = read(log(tmp_path, text, name), GAPPED, mapping=LogMapping(missing=frozenset({"NA"})))
    assert [step.unlogged for step in unsaid.steps][:2] == [("lactate",), ("arrival",)]
    assert 'if an empty cell is what the model was given, say so: [trace] empty = "missing"' in unsaid.warnings[0]


@pytest.mark.parametrize(
    ("name", "text"), [("ward.csv", "arrival,age\nWALKED,3\n"), ("ward.jsonl", '{"arrival":0,"age":3}\n')]
)
def test_a_column_that_is_not_there_is_not_logged(name: str, text: str, tmp_path: Path) -> None:
    (step,) = read(log(tmp_path, text, name), GAPPED, mapping=TOLD).steps
    assert step.unlogged == ("lactate",)


@pytest.mark.parametrize(
    ("name", "text"), [("ward.csv", "arrival,age\nWALKED,\n"), ("ward.jsonl", '{"arrival":0,"age":null}\n')]
)
def test_what_is_never_missing_is_not_said_to_be(name: str, text: str, tmp_path: Path) -> None:
    """Taken for not logged, it would be any age, although the program was told that there is none."""
    with pytest.raises(TraceError, match=r"age is empty.*float64 is never that"):
        read(log(tmp_path, text, name), GAPPED, mapping=TOLD)
