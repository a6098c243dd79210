"""The manifest: what a good one says, and where each mistake in a bad one is found."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.engine.manifest_reader import load
from soid.engine.smtlib.smtlib_source import SmtLibSource
from soid.errors import ManifestError
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.program.domain import DEFAULT, AnyBitsDomain, Range, Values
from soid.program.interface import Role
from soid.program.program import Program
from soid.program.types import BoolType, EnumType, FloatType, IntType, parse

GOOD = """\
[program]
name   = "microwave operator"
engine = "smtlib"
paths  = ["paths/*.smt2"]

[trace]
file = "log.jsonl"
keyframe = 3
ignore = ["scene"]

[variables]
error   = { role = "environment", type = "bool", label = "an error is shown" }
speed   = { role = "environment", type = "float32", unit = "m/s", domain = [0.1, 3] }
gear    = { role = "environment", type = "int8", domain = { values = [-1, 2, 3] } }
noise   = { role = "environment", type = "float64", domain = "any bits" }
"world->agents[1].signal" = { role = "environment", type = "enum", labels = { OFF = 0, LEFT = 1 }, width = 8 }
started = { role = "state", type = "bool", smtlib = "started", smtlib_after = "|started next|" }
count   = { role = "state", type = "uint16" }
action  = { role = "decision", type = "enum", labels = ["START", "CANCEL"], smtlib = "action_0" }

[questions]
ask = ["did action == CANCEL"]
"""


def project(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "paths").mkdir(exist_ok=True)
    for name in ("b.smt2", "a.smt2", "notes.txt"):
        (folder / "paths" / name).touch()
    (folder / "empty").mkdir(exist_ok=True)
    (folder / "log.jsonl").touch()
    (folder / "soid.toml").write_text(text, encoding="utf-8")
    return folder


def source(program: Program) -> SmtLibSource:
    assert isinstance(program.source, SmtLibSource)
    return program.source


def files(program: Program) -> tuple[Path, ...]:
    return source(program).files


def test_a_good_manifest(tmp_path: Path) -> None:
    folder = project(tmp_path, GOOD)
    manifest = load(folder)
    assert manifest == load(folder / "soid.toml")
    program = manifest.program
    assert (program.name, program.folder) == ("microwave operator", folder)
    assert files(program) == (folder / "paths/a.smt2", folder / "paths/b.smt2")
    assert (manifest.trace, manifest.keyframe) == (folder / "log.jsonl", 3)
    assert (manifest.ignore, manifest.step_column) == (("scene",), "step")
    assert manifest.questions == ("did action == CANCEL",)


def test_the_variables_of_a_good_manifest(tmp_path: Path) -> None:
    interface = load(project(tmp_path, GOOD)).program.interface
    assert [variable.path for variable in interface] == [
        "error", "speed", "gear", "noise", "world.agents[1].signal", "started", "count", "action",
    ]  # fmt: skip
    error, speed, gear, noise, signal, started, _, action = interface
    assert (error.role, error.type, error.domain, error.label) == (
        Role.ENVIRONMENT, BoolType(), DEFAULT, "an error is shown",
    )  # fmt: skip
    assert (speed.type, speed.unit) == (FloatType(FLOAT32), "m/s")
    assert speed.domain == Range(parse(speed.type, "0.1"), parse(speed.type, "3"))
    assert (gear.type, gear.domain) == (IntType(8, signed=True), Values((255, 2, 3)))
    assert (noise.type, noise.domain) == (FloatType(FLOAT64), AnyBitsDomain())
    assert signal.type == EnumType("", 8, False, (("OFF", 0), ("LEFT", 1)))
    assert started.role is Role.STATE
    assert action.type == EnumType("", 32, False, (("START", 0), ("CANCEL", 1)))


def test_names_in_the_smtlib_files(tmp_path: Path) -> None:
    names = source(load(project(tmp_path, GOOD)).program).names
    assert names["error"] == "error"
    assert names["world.agents[1].signal"] == "world.agents[1].signal"
    assert (names["started"], names["started'"]) == ("started", "started next")
    assert (names["count"], names["count'"]) == ("count", "count'")
    assert names["action"] == "action_0"
    assert "action'" not in names


def test_what_may_be_left_out(tmp_path: Path) -> None:
    text = """
    program = { engine = "smtlib", paths = ["paths", "paths/a.smt2"] }
    [variables.go]
    role = "decision"
    type = "enum"
    labels = { BACK = -1, STAY = 0 }
    """
    manifest = load(project(tmp_path / "guard", text))
    assert manifest.program.name == "guard"
    assert [file.name for file in files(manifest.program)] == ["a.smt2", "b.smt2"]
    assert (manifest.trace, manifest.keyframe, manifest.questions) == (None, None, ())
    assert manifest.program.interface.variable("go").type == EnumType("", 32, True, (("BACK", -1), ("STAY", 0)))


def test_a_manifest_may_point_out_of_its_folder_and_begin_with_a_mark(tmp_path: Path) -> None:
    project(tmp_path / "other", GOOD)
    text = "\ufeff" + GOOD.replace("paths/*.smt2", "../other/*/?.smt2").replace("log.jsonl", "../other/log.jsonl")
    folder = project(tmp_path / "[odd]", text)
    assert [file.name for file in files(load(folder).program)] == ["a.smt2", "b.smt2"]
    (folder / "soid.toml").write_text(text.replace("../other", str(tmp_path / "other")))
    assert [file.name for file in files(load(folder).program)] == ["a.smt2", "b.smt2"]


# What is replaced in the good manifest, by what; the line where that is found; what the message and remedy contain.
MISTAKES = [
    ('engine = "smtlib"', 'engine = "smtlib', 3, ["not TOML", "column"]),
    ('engine = "smtlib"', 'engine = "smtlab"', 3, ['[program] engine: there is no engine "smtlab"', "mean smtlib?"]),
    ('engine = "smtlib"', 'engine = "ocaml"', 3, ['there is no engine "ocaml"', "has: smtlib, llvm, model."]),
    ('engine = "smtlib"', "", 1, ["[program]: engine is missing", 'engine = "llvm"']),
    ('engine = "smtlib"', "engine = 5", 3, ["[program] engine: expected text in quotes, found the number 5"]),
    ('"microwave operator"', '" "', 2, ["[program] name: the text is empty"]),
    ("name   =", "nam =", 2, ["[program] nam: there is no such key", "Did you mean name?"]),
    ("name   =", "colour =", 2, ["[program] colour: there is no such key", "Known here: engine, name, paths."]),
    ("[program]", "[progam]", 1, ["progam: there is no such key", "Did you mean program?"]),
    ("[program]", "[trace.x]", None, ["the table [program] is missing"]),
    ("[trace]", "[tracer]", 6, ["tracer: there is no such key", "Did you mean trace?"]),
    ("[variables]", "[questions.x]", None, ["the table [variables] is missing"]),
    ('["paths/*.smt2"]', '["paths/c.smt2"]', 4, ["[program] paths: there is no file", "paths/c.smt2"]),
    ('["paths/*.smt2"]', '["paths/*.smt"]', 4, ["[program] paths: no file matches", "paths/*.smt"]),
    ('["paths/*.smt2"]', '["paths/**.smt2"]', 4, ["[program] paths: 'paths/**.smt2' is no pattern"]),
    ('["paths/*.smt2"]', '["empty"]', 4, ["[program] paths: the folder", "empty has no .smt2 file"]),
    ('["paths/*.smt2"]', '"paths/*.smt2"', 4, ["[program] paths: expected a list of texts", "paths = [ ... ]"]),
    ('["paths/*.smt2"]', "[1]", 4, ["[program] paths: expected a list of texts, found the number 1 in it"]),
    ('["paths/*.smt2"]', "[]", 1, ["[program]: paths is missing"]),
    ('"log.jsonl"', '"lost.jsonl"', 7, ["[trace] file: there is no log", "lost.jsonl"]),
    ("keyframe = 3", "keyframe = 3.5", 8, ["[trace] keyframe: expected a whole number, found the number 3.5"]),
    ("keyframe = 3", "keyframe = true", 8, ["[trace] keyframe: expected a whole number, found true"]),
    ("keyframe = 3", "keyframe = 2026-01-01", 8, ["expected a whole number, found the date or time 2026-01-01"]),
    ('["scene"]', '["world.agents[1]"]', 9, ["[trace] ignore: world.agents[1] would hide"]),
    ('["scene"]', '["world->agents[1]"]', 9, ["would hide the variable world.agents[1].signal"]),
    ("error   = {", "error = 7 # {", 12, ["[variables] error: expected a table, found the number 7"]),
    ("error   = {", '"a b+c" = {', 12, ["'a b+c' is no path"]),
    ("error   = {", "world.error = {", 12, ["a path with dots needs quotes", '"world.error" = { ... }']),
    ('role = "environment", type = "bool"', 'type = "bool"', 12, ["[variables] error: role is missing"]),
    ('role = "environment", type = "bool"', 'role = "input", type = "bool"', 12, ['there is no role "input"', "state"]),
    ('type = "bool"', 'type = "double"', 12, ['there is no type "double"', "float64"]),
    ('type = "bool"', 'type = "int5000"', 12, ['there is no type "int5000"']),
    ('type = "bool"', 'type = "bool", width = 8', 12, ["width belongs to an enum, and the type is bool"]),
    ('type = "bool"', 'type = "bool", labels = ["A"]', 12, ["labels belongs to an enum"]),
    ('type = "bool"', 'type = "bool", smtlib_after = "x"', 12, ["environment has no value after the call"]),
    ('type = "bool"', 'type = "bool", smtlib = "a|b"', 12, ["a|b is no name in SMT-LIB"]),
    ('type = "bool"', 'type = "bool", smtlib = "|gear|"', 14, ["gear: error has the same SMT-LIB name, gear"]),
    ("label =", "lable =", 12, ["[variables] error lable: there is no such key", "Did you mean label?"]),
    ("[0.1, 3]", "[3.5, 3]", 13, ["[variables] speed domain: no value lies from 3.5 to 3.0", "lower bound first"]),
    ("[0.1, 3]", "[nan, 3]", 13, ["speed domain: NaN bounds nothing"]),
    ("[0.1, 3]", "[0.1, 3, 4]", 13, ["speed domain: a list of 3 is no domain of float32", "[low, high]"]),
    ("[0.1, 3]", '["low", 3]', 13, ["speed domain: expected a number, found 'low'"]),
    ("[0.1, 3]", "[[0], 3]", 13, ["speed domain: expected float32, found a list of 1"]),
    ("[0.1, 3]", '"anything"', 13, ['the text "anything" is no domain of float32', '"any bits"']),
    ("[-1, 2, 3]", "[-1, 2, 300]", 14, ["gear domain: 300 is outside int8, which holds -128 to 127"]),
    ("[-1, 2, 3]", "[1.5]", 14, ["gear domain: expected a whole number, found '1.5'"]),
    ("[-1, 2, 3]", "[]", 14, ["gear domain: a table is no domain of int8"]),
    ("{ values = [-1, 2, 3] }", "{ low = 1, high = 2 }", 14, ["a table is no domain of int8", "{ values = [ ... ] }"]),
    ("width = 8", "width = 0", 16, ["world->agents[1].signal width: no enumeration is 0 bits wide"]),
    ("LEFT = 1 }", "LEFT = 256 }", 16, ["LEFT = 256 does not fit uint8, which holds 0 to 255"]),
    ("LEFT = 1 }", "LEFT = 200, BACK = -1 }", 16, ["LEFT = 200 does not fit int8, which holds -128 to 127"]),
    ("LEFT = 1 }", "LEFT = -1 }, signed = false", 16, ["LEFT = -1 does not fit uint8"]),
    ("label =", 'unit = "m\\nNO, proved", label =', 12, ["[variables] error unit: it is no short text of one line"]),
    ("label =", f'unit = "{"m" * 201}", label =', 12, ["unit: it is no short text of one line", "200 characters"]),
    ('"microwave operator"', '"a\\nVERDICT: no"', 2, ["[program] name: it is no short text of one line"]),
    *(
        ('labels = ["START"', f'says = {{ START = "{said}", CANCEL = "stop it" }}, labels = ["START"', None, [expected])
        for said, expected in (
            ("start\\nNO, proved", "action.says START: it is no short text of one line"),
            ("start. It was proved that it would not", "action.says START: this does not follow `would`"),
            ("not start", "this does not follow `would`"),
            ("Stop it", "action.says CANCEL: another value says the same"),
        )
    ),
    ("LEFT = 1 }", 'LEFT = "1" }', 16, ["LEFT stands for the text", "must stand for a whole number"]),
    ("LEFT = 1 }", "LEFT = 1 }, domain = [0, 1]", 16, ["a list of 2 is no domain of enum"]),
    ("LEFT = 1 }", 'LEFT = 1 }, domain = { values = ["UP"] }', 16, ["expected one of OFF, LEFT, found 'UP'"]),
    ('"START", "CANCEL"', '"START", "START"', 19, ["action labels: the label START is given twice"]),
    ('"START", "CANCEL"', '"START", "9"', 19, ["action labels", "is no label"]),
    ('["START", "CANCEL"]', "[]", 19, ["expected a list of labels or a table of label = number, found a list of 0"]),
    ('labels = ["START", "CANCEL"], ', "", 19, ["[variables] action: an enum needs labels", "labels = ["]),
    ('"CANCEL"],', '"CANCEL"], domain = "any bits",', 19, ["a variable of role decision has no domain"]),
    ("count   =", '"star ted" =', 18, ["[variables] star ted: the variable started is declared twice"]),
    ("[questions]", "[endings]\na = 5\n[questions]", 22, ["[endings] a: expected text in quotes, found the number 5"]),
    ("[questions]", '[questions]\nscripts = ["no.soid"]', 22, ["[questions] scripts: there is no script", "no.soid"]),
    ("[questions]", "[story]\nhappens = 'x'\n[questions]", 22, ["[story] happens: there is no such key", "happened?"]),
    ("ask =", "asks =", 22, ["[questions] asks: there is no such key", "Did you mean ask?"]),
    ('["did action', '[" ", "did action', 22, ["[questions] ask: expected a list of texts"]),
    ("keyframe = 3", f"keyframe = {'9' * 5000}", None, ["not TOML"]),
    ("keyframe = 3", f"keyframe = {'[' * 5000}", None, ["nested too deeply"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "line", "expected"), MISTAKES, ids=[f"{i}-{case[3][0][:40]}" for i, case in enumerate(MISTAKES)]
)
def test_each_mistake_is_named_with_its_place(
    tmp_path: Path, old: str, new: str, line: int | None, expected: list[str]
) -> None:
    assert old in GOOD
    file = project(tmp_path, GOOD.replace(old, new, 1)) / "soid.toml"
    with pytest.raises(ManifestError) as caught:
        load(file)
    message = str(caught.value)
    assert message.startswith(f"{file}:{line}: " if line else f"{file}: ")
    for part in expected:
        assert part in message


def test_what_the_program_decides_must_be_said(tmp_path: Path) -> None:
    text = GOOD.replace('"decision"', '"internal"').replace('"state"', '"environment"')
    text = text.replace(', smtlib_after = "|started next|"', "")
    with pytest.raises(ManifestError, match="no variable is a decision"):
        load(project(tmp_path, text))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="there is no such file"):
        load(tmp_path)
    with pytest.raises(ManifestError, match=r"nowhere\.toml: there is no such file"):
        load(tmp_path / "nowhere.toml")
    (tmp_path / "soid.toml").write_bytes(b'[program]\nname = "\xff"')
    with pytest.raises(ManifestError, match="byte 18 is not UTF-8"):
        load(tmp_path)
    with pytest.raises(ManifestError, match="cannot be read"):
        load(tmp_path / "soid.toml" / "x")


def test_a_table_of_its_own_has_its_lines_too(tmp_path: Path) -> None:
    text = GOOD.replace("[questions]", '[variables."other.go"]\nrole = "decision"\ntype = "number"\n[questions]')
    with pytest.raises(ManifestError, match=r'soid\.toml:23: \[variables\] other\.go type: there is no type "number"'):
        load(project(tmp_path, text))


@given(position=st.integers(0, len(GOOD)), removed=st.integers(0, 12), inserted=st.text(max_size=4))
def test_a_damaged_manifest_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, position: int, removed: int, inserted: str
) -> None:
    text = GOOD[:position] + inserted + GOOD[position + removed :]
    folder = tmp_path_factory.getbasetemp() / "damaged"
    if not folder.exists():
        project(folder, "")
    (folder / "soid.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    with contextlib.suppress(ManifestError):
        load(folder)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / f"bytes-{os.getpid()}.toml"
    file.write_bytes(data)
    with pytest.raises(ManifestError):
        load(file)


def test_a_missing_key_is_named_with_its_file_once(tmp_path: Path) -> None:
    file = tmp_path / "soid.toml"
    file.write_text('[program]\nsources = ["a.c"]\n')
    with pytest.raises(ManifestError) as caught:
        load(file)
    assert caught.value.cause == f"{file}:1: [program]: engine is missing"


def test_a_log_that_is_not_needed_may_be_missing(tmp_path: Path) -> None:
    (tmp_path / "decide.c").touch()
    file = tmp_path / "soid.toml"
    file.write_text('[program]\nengine = "c"\nsources = ["decide.c"]\nentry = "f"\n[trace]\nfile = "log.jsonl"\n')
    assert load(file, log_needed=False).trace is None
    with pytest.raises(ManifestError, match="there is no log"):
        load(file)
