"""Wrong logs: every error is a TraceError with file, line, variable, and the found and the expected value."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from soid.errors import EmptyTraceError, TraceError
from soid.formula.sorts import FLOAT32
from soid.program.domain import Range, Values
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, parse
from soid.scenario.origin import Origin
from soid.scenario.trace_reader import read

SINGLE = FloatType(FLOAT32)
INTERFACE = Interface(
    (
        Variable("error", Role.ENVIRONMENT, BoolType()),
        Variable("speed", Role.ENVIRONMENT, SINGLE, Range(parse(SINGLE, "0"), parse(SINGLE, "3.5"))),
        Variable("noise", Role.ENVIRONMENT, SINGLE),
        Variable("gear", Role.ENVIRONMENT, IntType(8, signed=True), Values((255, 1, 2))),
        Variable("signal", Role.STATE, EnumType("", 8, False, (("OFF", 0), ("LEFT", 1)))),
        Variable("closest", Role.INTERNAL, IntType(8, signed=True)),
        Variable("go", Role.DECISION, BoolType()),
    )
)
FIRST = '{"step": 3, "error": true, "speed": 1.5, "noise": 0, "gear": -1, "signal": "LEFT", "go": false}'
GOOD = FIRST + "\n" + FIRST.replace("3", "4") + "\n"
TABLE = "step,error,speed,noise,gear,signal,go\n3,true,1.5,0,-1,LEFT,false\n4,true,1.5,0,-1,LEFT,false\n"

# A text of the second step, its replacement, and texts that the message and the remedy contain.
VALUES = [
    ('"speed": 1.5', '"speed": "1,5"', ["speed: expected a number, found '1,5'", "with a decimal point"]),
    ('"noise": 0', '"noise": -1e400', ["noise: -1e400 is beyond every number of float32"]),
    ('"noise": 0', '"noise": 3.5e38', ["noise: 3.5e38 is beyond every number of float32"]),
    ('"speed": 1.5', '"speed": true', ["speed: expected float32, found true"]),
    ('"speed": 1.5', '"speed": ""', ["speed: expected a number, found ''"]),
    ('"noise": 0', '"noise": "nan(0x1)"', ["noise: nan(0x1) is no NaN of float32"]),
    ('"noise": 0', '"noise": "bits(0x123456789)"', ["noise: bits(0x123456789) has more than the 32 bits of float32"]),
    ('"noise": 0', f'"noise": 0.{"1" * 5000}', ["noise: expected float32, found a value of 5002 characters"]),
    ('"gear": -1', '"gear": 1.5', ["gear: expected a whole number, found '1.5'"]),
    ('"gear": -1', '"gear": 128.0', ["gear: 128 is outside int8, which holds -128 to 127"]),
    ('"gear": -1', '"gear": 128', ["gear: 128 is outside int8, which holds -128 to 127"]),
    ('"gear": -1', f'"gear": {"9" * 3999}', ["gear: 999", "is outside int8"]),
    ('"gear": -1', f'"gear": {"9" * 99999}', ["gear: expected int8, found a value of 99999 characters"]),
    ('"error": true', '"error": 2', ["error: expected true or false, found '2'"]),
    ('"error": true', '"error": "yes"', ["error: expected true or false, found 'yes'"]),
    ('"signal": "LEFT"', '"signal": "UP"', ["signal: expected one of OFF, LEFT, found 'UP'"]),
    ('"signal": "LEFT"', '"signal": 256', ["signal: 256 is outside uint8"]),
    ('"signal": "LEFT"', '"signal": false', ["signal: expected enum, found false"]),
    ('"go": false', '"go": "maybe"', ["go: expected true or false, found 'maybe'"]),
]
SHAPES = [
    ('"speed": 1.5', '"spede": 1.5', ["spede is no variable of the program", "Did you mean speed?", '["spede"]']),
    ('"speed": 1.5', '"speed": {"x": 1.5}', ["speed.x is no variable of the program", "Did you mean speed?"]),
    ('"speed": 1.5', '"speed": [1.5]', ["speed[0] is no variable of the program"]),
    ('"speed": 1.5', '"speed": 1.5, "sp eed": 1.5', ["speed is given twice"]),
    ('"speed": 1.5', '"speed": 1.5, "speed": 1.5', ["speed is given twice"]),
    ('"speed": 1.5', '"a": {"b": 1}, "a.b": 1, "speed": 1.5', ["a.b is"]),
    ('"speed": 1.5', '"speed": 1.5, "": 1', ["'' is no variable of the program"]),
    ('"speed": 1.5', '"speed": 1.5, "\\ud800": 1', ["'\\ud800' is no variable of the program"]),
    ('"speed": 1.5', f'"speed": 1.5, "{"x" * 999}": 1', ["xxx... is no variable of the program"]),
    ('"go"', '"go\'"', ["go' is no variable of the program", "Did you mean go?"]),
    ('"go"', '"closest"', ["closest is internal to the program, and not logged", 'ignore = ["closest"]']),
    ('"step": 4', '"step": 3', ["step 3 comes after step 3 (", "log.jsonl:1)"]),
    ('"step": 4', '"step": 2', ["step 2 comes after step 3"]),
    ('"step": 4', '"step": 4.0', ["step: expected a whole number, found 4.0"]),
    ('"step": 4', '"step": true', ["step: expected a whole number, found true"]),
    ('"step": 4', f'"step": {"9" * 5000}', ["step: expected a whole number, found 99"]),
    ('"step": 4, ', "", ["some steps have a step and some have none", "Number all or none."]),
    ('"step": 4, ', '"step" 4, ', ["not JSON at column 9"]),
    ("{", "[", ["not JSON"]),
    ('{"step"', '{"x": ' + "[" * 100_000 + '"step"', ["nested too deeply"]),
    ('{"step"', '{"x": ' * 100_000 + '{"step"', ["nested too deeply"]),
]


@pytest.mark.parametrize(("old", "new", "expected"), VALUES + SHAPES, ids=[e[0][:50] for *_, e in VALUES + SHAPES])
def test_a_line_that_does_not_fit(tmp_path: Path, old: str, new: str, expected: list[str]) -> None:
    first, second, end = GOOD.split("\n")
    assert old in second
    message = refused(tmp_path / "log.jsonl", "\n".join([first, "", second.replace(old, new, 1), end]), line=3)
    for part in expected:
        assert part in message


@pytest.mark.parametrize(
    ("old", "new", "missing"),
    [
        ('"speed": 1.5, ', "", ("speed",)),
        ('"speed": 1.5', '"speed": null', ("speed",)),
        ('"speed": 1.5', '"speed": []', ("speed",)),
        ('"speed": 1.5, "noise": 0, ', "", ("speed", "noise")),
    ],
)
def test_a_value_that_is_missing_is_a_stated_gap(tmp_path: Path, old: str, new: str, missing: tuple[str, ...]) -> None:
    first, second, end = GOOD.split("\n")
    assert old in second
    (tmp_path / "log.jsonl").write_text("\n".join([first, second.replace(old, new, 1), end]))
    trace = read(tmp_path / "log.jsonl", INTERFACE)
    assert [step.unlogged for step in trace] == [(), missing]
    assert [trace.keyframe(4).origin(path) for path in missing] == [Origin.ASSUMED] * len(missing)
    assert trace.keyframe(3).origin("speed") is Origin.LOGGED
    for path, warning in zip(missing, trace.warnings, strict=True):
        assert warning.startswith(f"{path} is not logged in one step, at {tmp_path / 'log.jsonl'}:2: ")


def refused(file: Path, text: str | bytes, line: int) -> str:
    file.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    with pytest.raises(TraceError) as caught:
        read(file, INTERFACE)
    message = str(caught.value)
    assert message.startswith(f"{file}:{line}: ")
    assert len(message) < 5000
    assert caught.value.remedy
    return message


@pytest.mark.parametrize(
    ("old", "new", "line", "expected"),
    [
        ("1.5,", '"1,5",', 2, "speed: expected a number, found '1,5'"),
        ("1.5,", "1,5,", 2, "the row has 8 cells, and the header has 7"),
        ("3,true", "true", 2, "the row has 6 cells, and the header has 7"),
        ("1.5,", '"1.5,', 2, "not CSV"),
        ("1.5", '"1.5"x', 2, "not CSV"),
        ("LEFT", "UP", 2, "signal: expected one of OFF, LEFT, found 'UP'"),
        ("step", "", 1, "column 1 has no name"),
        ("noise", "speed", 1, "there are two columns speed"),
        ("noise", "speed ed", 1, "speed ed is no variable"),
        ("error", "eror", 1, "eror is no variable of the program"),
        ("speed,noise", "speed,s peed", 2, "speed is given twice"),
    ],
)
def test_a_table_that_does_not_fit(tmp_path: Path, old: str, new: str, line: int, expected: str) -> None:
    text = TABLE.replace(old, new, 1)
    assert expected in refused(tmp_path / "log.csv", text, line)


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    data = GOOD.encode()
    at = data.rindex(b"LEFT")
    message = refused(tmp_path / "log.jsonl", data[:at] + b"\xff" + data[at:], 2)
    assert f"byte {at} of the file is not UTF-8" in message
    assert "is not UTF-8" in refused(tmp_path / "log.csv", TABLE.encode("utf-16"), 1)


@pytest.mark.parametrize("cut", [1, 3, 20, len(FIRST) - 1])
def test_a_log_that_was_cut_off(tmp_path: Path, cut: int) -> None:
    assert "the log ends in the middle of this line" in refused(tmp_path / "log.jsonl", GOOD[: -1 - cut], 2)


@pytest.mark.parametrize("line", ["[]", "3", '"x"', "null"])
def test_a_line_that_is_no_object(tmp_path: Path, line: str) -> None:
    assert "the line is no JSON object" in refused(tmp_path / "log.jsonl", f"{GOOD}{line}\n", 3)


@pytest.mark.parametrize("text", ["", "\n \n\r\n", "\ufeff", "step,error\n"])
def test_a_log_without_a_step(tmp_path: Path, text: str) -> None:
    for name in ("log.jsonl", "log.csv") if "step" not in text else ("log.csv",):
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        with pytest.raises(EmptyTraceError, match="there is no step in it") as caught:
            read(file, INTERFACE)
        assert name in caught.value.cause


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"lost\.jsonl: there is no such log"):
        read(tmp_path / "lost.jsonl", INTERFACE)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(TraceError, match=r"folder\.csv: cannot be read"):
        read(tmp_path / "folder.csv", INTERFACE)
    with pytest.raises(TraceError, match="cannot be read"):
        read("nul\0.csv", INTERFACE)
    with pytest.raises(TraceError, match=r"log\.xlsx: the name does not say"):
        read(tmp_path / "log.xlsx", INTERFACE)


@pytest.mark.parametrize(
    ("old", "new", "path", "domain"),
    [
        ('"speed": 1.5', '"speed": 4.25', "speed", "0.0 to 3.5"),
        ('"speed": 1.5', '"speed": NaN', "speed", "0.0 to 3.5"),
        ('"gear": -1', '"gear": 3', "gear", "-1, 1, 2"),
        ('"signal": "LEFT"', '"signal": 2', "signal", "OFF, LEFT"),
    ],
)
def test_a_value_outside_of_its_domain_is_a_fact(tmp_path: Path, old: str, new: str, path: str, domain: str) -> None:
    file = tmp_path / "log.jsonl"
    first, second, _ = GOOD.split("\n")
    file.write_text(f"{first}\n{second.replace(old, new)}\n{second.replace(old, new).replace('4,', '5,', 1)}\n")
    trace = read(file, INTERFACE)
    warning, *others = trace.warnings
    assert len(others) == ("NaN" in new) and all(f"{path} is NaN in 2 steps" in each for each in others)
    assert warning.startswith(f"{path} is outside of its domain ({domain}) in 2 steps, first at {file}:2: ")
    assert trace.steps[1].inputs[path] == trace.steps[2].inputs[path] != trace.steps[0].inputs[path]
    file.write_text(GOOD)
    assert read(file, INTERFACE).warnings == ()


# --- anything at all ------------------------------------------------------------------------------------------


def survives(folder: Path, suffix: str, data: bytes) -> None:
    file = folder / f"any-{os.getpid()}{suffix}"
    file.write_bytes(data)
    with contextlib.suppress(TraceError):  # it is read or refused in words; any other error fails
        read(file, INTERFACE, ignore=("scene",))


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".tsv"])
@given(data=st.binary(max_size=80))
@example(data=b"\xef\xbb\xbf")
@example(data=b'{"step": 1}\r{"step": 2}')
@example(data=b'a,b\r1,2\r"')
@example(data=b"a\0b,c\n1,\0\n")
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, suffix: str, data: bytes) -> None:
    survives(tmp_path_factory.getbasetemp(), suffix, data)


@pytest.mark.parametrize(("suffix", "good"), [(".jsonl", GOOD), (".csv", TABLE)], ids=["jsonl", "csv"])
@given(data=st.data())
def test_a_damaged_log_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, good: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(good)))
    inserted = data.draw(st.text(max_size=5) | st.sampled_from(['"', "\\ud800", "1e999", "NaN", "0x", "{}", "null"]))
    text = good[:at] + inserted + good[at + data.draw(st.integers(0, 10)) :]
    survives(tmp_path_factory.getbasetemp(), suffix, text.encode("utf-8", "surrogatepass"))


NESTED = Interface(
    (
        *(Variable(f"path[{i}].{axis}", Role.STATE, IntType(32, signed=True)) for i in range(3) for axis in "xy"),
        *(
            Variable(f"grid[{i}][{j}]", Role.ENVIRONMENT, IntType(8, signed=True), initial=0)
            for i in (0, 1)
            for j in (0, 1)
        ),
        Variable("*speed", Role.ENVIRONMENT, IntType(32, signed=True), initial=0),
    )
)
POINT = '{"x": 1, "y": 2}'


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f'{{"path": [{POINT}, {POINT}]}}', ["path: the log has 2 elements, and the program has 3"]),
        (f'{{"path": [{", ".join([POINT] * 4)}]}}', ["path: the log has 4 elements, and the program has 3"]),
        (f'{{"path": [{POINT}]}}', ["path: the log has 1 element, and the program has 3"]),
        ('{"grid": [[1, 2], [1, 2, 3]]}', ["grid[1]: the log has 3 elements, and the program has 2"]),
        (
            '{"path": 3}',
            ["path is no variable", "It has parts, which are variables: path[0].x, path[0].y, path[1].x, ..."],
        ),
        ('{"grid": [3, 4]}', ["grid[0] is no variable", "It has parts, which are variables: grid[0][0], grid[0][1]."]),
        ('{"speed": 3}', ["speed is no variable", "What speed points to is called *speed."]),
        (
            '{"speed": [3]}',
            ["speed[0] is no variable", '*speed, or say how many elements there are: [lengths] "speed" = 2.'],
        ),
    ],
)
def test_nested_values_that_do_not_fit(tmp_path: Path, line: str, expected: list[str]) -> None:
    (tmp_path / "log.jsonl").write_text(line)
    with pytest.raises(TraceError) as caught:
        read(tmp_path / "log.jsonl", NESTED)
    for part in expected:
        assert part in str(caught.value)


def test_nested_values_are_read_before_and_after_the_call(tmp_path: Path) -> None:
    whole = f"[{', '.join([POINT] * 3)}]"
    (tmp_path / "log.jsonl").write_text(f'{{"path": {whole}, "grid": [[1, 2], [3, 4]], "path\'": {whole}}}')
    step = read(tmp_path / "log.jsonl", NESTED).steps[0]
    assert step.inputs["path[2].y"] == step.decisions["path[2].y'"] == 2
    assert step.inputs["grid[1][0]"] == 3


def test_a_table_that_was_cut_is_told(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    whole = "step,error,speed,noise,gear,signal,go,brake\n3,true,1.5,0,-1,LEFT,false,12.75\n"
    for end in range(whole.index("\n") + 2, whole.rindex(",")):
        log.write_text(whole[:end])
        with pytest.raises(TraceError, match=r"log\.csv:2: the log ends in the middle of this line"):
            read(log, INTERFACE, ignore=("brake",))
    log.write_text(whole[:-2])  # 12.7 may have been 12.75
    (warning,) = read(log, INTERFACE, ignore=("brake",)).warnings
    assert warning == f"{log}:2 has no line end: it may have been cut in its last cell"
    log.write_text(whole)
    assert not read(log, INTERFACE, ignore=("brake",)).warnings


def test_text_of_another_encoding_is_told(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_bytes(TABLE.encode("utf-16-le"))
    with pytest.raises(TraceError, match=r"log\.csv:1: there are zero bytes in this line, as in UTF-16"):
        read(log, INTERFACE, ignore=("*",))
    log.write_bytes(TABLE.encode() + bytes(64))  # a recorder that lost its power
    with pytest.raises(TraceError, match=r"log\.csv:4: there are zero bytes") as caught:
        read(log, INTERFACE)
    assert "if its recorder did not finish it" in caught.value.remedy


def test_a_quoted_name_may_have_other_separators(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text(TABLE.replace(",", ";").replace("go", 'go;"note, of the driver\t"').replace("false", 'false;"a,b"'))
    assert len(read(log, INTERFACE, ignore=("*",))) == 2
