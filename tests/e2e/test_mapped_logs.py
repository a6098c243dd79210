"""Logs as recorders write them: other names, units and labels, several files, values that no domain has."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from soid import Answer, Case, Project
from soid.assumptions import Ledger
from soid.cli import main
from soid.cli.commands import inspect_command
from soid.errors import EnvironmentalError, KeyframeError, ManifestError, TraceError
from soid.evidence.untrusted_project import open_with_care
from soid.evidence.verification_report import Standing
from soid.evidence.verify import verify
from soid.scenario.logs import text_log
from tests.unit.evidence.conftest import bundled

SOURCE: Final = """
enum pilot { PILOT_NONE, PILOT_HOLD, PILOT_RTH };
struct sensors { float alt; float heading; enum pilot pilot; _Bool armed; float lat; };
int decide(const struct sensors *s) {
    if (!s->armed) return 0;
    if (s->pilot == PILOT_RTH && s->alt > 30.48f) return 2;
    return s->lat > 48.0f ? 1 : 3;
}
"""
MANIFEST: Final = """
[program]
engine = "llvm"
sources = ["decide.c"]
entry = "decide"

[trace]
file = "flight.csv"
keyframe = 1
time = { column = "t_ms", unit = "ms" }
ignore = ["*"]

[trace.columns]
"s.alt" = { column = "Alt(ft)", unit = "ft" }
"s.heading" = { column = "hdg", unit = "deg" }
"s.pilot" = { column = "cmd", labels = { RTH = "PILOT_RTH", "-" = "PILOT_NONE" } }
"s.armed" = "ARM"
"s.lat" = "gps.lat"
"return" = "decision"

[[trace.join]]
file = "gps.csv"
as = "gps"
time = { column = "stamp", unit = "s" }
within = 0.5

[variables]
"s.alt" = { unit = "m", domain = [0.0, 120.0] }
"s.heading" = { unit = "rad" }
"""
FLIGHT: Final = """t_ms,Alt(ft),hdg,cmd,ARM,decision,volts
1000,100,90,-,1,1,11.9
1100,101,90,RTH,1,2,11.8
1200,500,90,RTH,1,2,11.8
"""
GPS: Final = "stamp,lat\n0.9,48.5\n1.05,47.5\n1.15,48.25\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "drone"
    folder.mkdir()
    (folder / "decide.c").write_text(SOURCE)
    (folder / "soid.toml").write_text(MANIFEST)
    (folder / "flight.csv").write_text(FLIGHT)
    (folder / "gps.csv").write_text(GPS)
    return folder


def ids(answer: Answer) -> list[str]:
    return [each.id for each in answer.relies_on]


def test_columns_units_labels_and_a_second_file(project: Path) -> None:
    opened = Project.open(project)
    assert [step.time for step in opened.trace] == [0, 1, 2]
    values = [
        tuple(str(opened.trace.keyframe(at).describe().splitlines()[line].split(" = ")[1]) for line in (1, 3, 4, 5))
        for at in range(3)
    ]
    assert values == [
        ("30.48 m", "PILOT_NONE", "true", "48.5"),
        ("30.7848 m", "PILOT_RTH", "true", "47.5"),
        ("152.4 m", "PILOT_RTH", "true", "48.25"),
    ]
    answer = opened.at(1).ask("might return == 3 if s.pilot is anything")
    assert answer.verdict.value == "yes"
    mapped = next(each for each in answer.relies_on if each.id == Ledger.MAPPED.value)
    assert "s.alt is Alt(ft) in ft, s.heading is hdg in deg, s.pilot is cmd" in mapped.text
    assert Ledger.JOINED.of("gps.csv") in answer.relies_on
    assert "outside-domain" not in ids(answer) and "unread" not in ids(answer)


def test_the_rounding_of_a_conversion_is_part_of_the_family(project: Path) -> None:
    """100 ft are 30.48 m, which is no float: whether `alt > 30.48f` held is not known from the log."""
    (project / "flight.csv").write_text(FLIGHT.replace(",-,", ",RTH,").replace(",1,1,", ",1,,"))
    opened = Project.open(project, step=0)
    assert opened.ask("did return == 2").verdict.value == "unknown"
    assert opened.ask("did return == 0").verdict.value == "no"
    # a foot that is a whole number of metres is exact
    exact = FLIGHT.replace("1000,100,", "1000,1250,").replace(",-,", ",RTH,").replace(",1,1,", ",1,2,")
    (project / "flight.csv").write_text(exact)
    opened = Project.open(project, step=0)
    assert "s.alt" not in opened.keyframe.rounded
    assert opened.ask("did return == 2").verdict.value == "yes"


def test_a_value_outside_of_its_domain_is_a_fact(project: Path) -> None:
    opened = Project.open(project, step=2)
    assert any("s.alt is outside of its domain (0.0 to 120.0) in one step" in each for each in opened.trace.warnings)
    answer = opened.ask("did return == 2")
    assert answer.verdict.value == "yes"
    assert Ledger.OUTSIDE_DOMAIN.of("s.alt = 152.4 (0.0 to 120.0)") in answer.relies_on
    # the family: where s.alt is free it stays within its domain, and elsewhere it is as it was
    assert opened.ask("might s.alt > 120.0 if s.alt is anything").verdict.value == "no"
    assert opened.ask("might s.alt > 120.0 if s.armed is anything").verdict.value == "yes"
    assert "outside-domain" not in ids(opened.at(1).ask("did return == 2"))


def test_warnings_are_shown_once(project: Path) -> None:
    command = [sys.executable, "-m", "soid", "ask", "-p", str(project), "-s", "1", "did return == 2", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr.count("s.alt is outside of its domain") == 1, done
    assert done.stdout.startswith("{")


def test_a_case_holds_every_file_and_a_bundle_is_verified(project: Path, tmp_path: Path) -> None:
    before = {file.name: file.read_bytes() for file in project.iterdir()}
    with Case.create(tmp_path / "drone.case", project) as case:
        held = {file.path: file.sha256 for file in case.snapshot.files}
        assert {"drone/flight.csv", "drone/gps.csv"} <= held.keys()
    (tmp_path / "case.zip").write_bytes(bundled(tmp_path, project, ("might return == 3 if s.pilot is anything",)))
    assert {fact.standing for fact in verify(tmp_path / "case.zip").facts} == {Standing.REPROVED}
    assert {file.name: file.read_bytes() for file in project.iterdir()} == before


def test_a_case_holds_binary_logs_too(project: Path, tmp_path: Path) -> None:
    import pandas  # not by every test process that collects this file

    pandas.read_csv(project / "flight.csv").to_parquet(project / "flight.parquet")
    pandas.read_csv(project / "gps.csv").to_feather(project / "gps.feather")
    for name in ("flight.csv", "gps.csv"):
        (project / name).unlink()
    manifest = MANIFEST.replace("flight.csv", "flight.parquet").replace("gps.csv", "gps.feather")
    (project / "soid.toml").write_text(manifest)
    with Case.create(tmp_path / "drone.case", project) as case:
        held = {file.path for file in case.snapshot.files}
    assert held == {f"drone/{name}" for name in ("soid.toml", "decide.c", "flight.parquet", "gps.feather")}
    (tmp_path / "case.zip").write_bytes(bundled(tmp_path, project, ("might return == 3 if s.pilot is anything",)))
    assert {fact.standing for fact in verify(tmp_path / "case.zip").facts} == {Standing.REPROVED}


def test_a_strangers_join_does_not_reach_out_of_the_project(project: Path) -> None:
    toml = MANIFEST.replace('file = "gps.csv"', 'file = "../gps.csv"')
    files = {"soid.toml": toml.encode(), "decide.c": SOURCE.encode()}
    with pytest.raises(Exception, match=r"trace\.join\.file names '\.\./gps\.csv'"):
        open_with_care("soid.toml", files, project)


def test_joined_files_belong_to_their_log(project: Path) -> None:
    other = project / "other.csv"
    other.write_text(FLIGHT)
    with pytest.raises(TraceError, match=r"joins gps\.csv to its own log, and not to .*other\.csv"):
        Project.open(project, trace=other)
    assert len(Project.open(project, trace=project / "flight.csv").trace) == 3


def test_a_table_of_python_is_a_log_too(project: Path) -> None:
    import pandas

    (project / "soid.toml").write_text(MANIFEST.split("[[trace.join]]")[0] + MANIFEST[MANIFEST.index("[var") :])
    table = pandas.read_csv(project / "flight.csv").assign(**{"gps.lat": [48.5, 47.5, 48.25]})
    opened = Project.open(project, trace=table)
    assert opened.ask("might return == 3 if s.pilot is anything").verdict.value == "yes"
    (project / "soid.toml").write_text(MANIFEST)
    with pytest.raises(TraceError, match=r"joins gps\.csv to its own log, and not to a table"):
        Project.open(project, trace=table)


@pytest.mark.parametrize(
    ("name", "package", "module"), [("log.parquet", "pyarrow", "arrow_log"), ("log.mcap", "mcap_ros2", "mcap_log")]
)
def test_a_missing_package_names_its_extra(
    project: Path, monkeypatch: pytest.MonkeyPatch, name: str, package: str, module: str
) -> None:
    monkeypatch.delitem(sys.modules, f"soid.scenario.logs.{module}", raising=False)
    for each in list(sys.modules):
        if each.split(".")[0] == package:
            monkeypatch.delitem(sys.modules, each)
    monkeypatch.setitem(sys.modules, package, None)
    (project / "soid.toml").write_text(MANIFEST.split("[[trace.join]]")[0] + MANIFEST[MANIFEST.index("[var") :])
    (project / name).touch()
    with pytest.raises(EnvironmentalError, match=package.split("_")[0]) as caught:
        Project.open(project, trace=project / name)
    assert "pip install 'soid[logs]'" in caught.value.remedy


def test_a_large_log_is_not_read_whole(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{1000 + 100 * at},100,90,{'RTH' if at % 2 else '-'},1,,11.9" for at in range(2000)]
    (project / "flight.csv").write_text(FLIGHT.split("\n")[0] + "\n" + "\n".join(rows) + "\n")
    manifest = MANIFEST.split("[[trace.join]]")[0].replace('"gps.lat"', '"volts"') + MANIFEST[MANIFEST.index("[var") :]
    (project / "soid.toml").write_text(manifest)
    small = Project.open(project, step=1234).ask("might return == 0 if s.armed is anything")
    monkeypatch.setattr(text_log, "LARGE", 1000)
    monkeypatch.setattr(text_log, "PIECE", 500)
    opened = Project.open(project, step=1234)
    large = opened.ask("might return == 0 if s.armed is anything")
    assert large.verdict is small.verdict
    assert Ledger.UNREAD.of() in large.relies_on and Ledger.UNREAD.of() not in small.relies_on
    assert len(opened.trace) == 2000
    (warning,) = opened.trace.warnings
    assert re.search(r"^the log is large: \d\d of its 2,000 rows were read, .*compare_log\(\) reads all", warning)
    monkeypatch.setattr(inspect_command, "_LISTED", 5)
    assert main(["inspect", "--project", str(project), "--step", "1234", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["steps"], said["step_count"], said["step"]) == ([0, 1, 2, 3, 4], 2000, 1234)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('column = "Alt(ft)"', 'column = "Alt"', "Alt"),
        ('unit = "ft"', 'unit = "fet"', r'there is no unit "fet"\. Did you mean ft\?'),
        ('unit = "ft"', 'unit = "s"', "s is a time, and m is a length"),
        ("PILOT_RTH", "PILOT_RHT", "labels: expected one of PILOT_NONE, PILOT_HOLD, PILOT_RTH"),
        ('"s.armed"', '"s.amred"', r"s\.amred is no variable that is logged"),
        ('file = "gps.csv"', 'file = "gsp.csv"', "there is no log"),
        ('time = { column = "stamp", unit = "s" }', "", "has no time"),
        ('time = { column = "t_ms", unit = "ms" }', "", "has no time to join by"),
        ('column = "t_ms"', 'column = "t"', "the column t, which .trace. time names, has no value"),
        ('ignore = ["*"]', "", "volts is no variable of the program"),
        ('{ unit = "rad" }', '{ label = "x" }', "the program's unit is not known"),
    ],
)
def test_mappings_that_do_not_fit_the_log(project: Path, old: str, new: str, message: str) -> None:
    assert old in MANIFEST
    (project / "soid.toml").write_text(MANIFEST.replace(old, new))
    with pytest.raises((TraceError, ManifestError), match=message) as caught:
        Project.open(project)
    assert caught.value.remedy or "Did you mean" in str(caught.value)


def made(folder: Path, source: str, manifest: str, log: str) -> Path:
    folder.mkdir()
    (folder / "p.c").write_text(source)
    program = '[program]\nengine = "llvm"\nsources = ["p.c"]\nentry = "f"\n[trace]\nfile = "log.csv"\n'
    (folder / "soid.toml").write_text(program + manifest)
    (folder / "log.csv").write_text(log)
    return folder


CENTIMETRES: Final = '[trace.columns]\nx = { column = "X", unit = "m" }\n[variables]\nx = { unit = "cm" }\n'


@pytest.mark.parametrize(
    ("logged", "question", "verdict"),
    [
        ("1.23", "did x == 123", "yes"),
        ("1.234", "did x == 123", "unknown"),
        ("1.234", "did x in {123..124}", "yes"),
        ("1.234", "did x >= 125", "no"),
        ("1.234", "might x == 123 if x is anything", "no"),  # it may have been the fact
        ("1.234", "might x == 125 if x is anything", "yes"),
    ],
)
def test_whole_numbers_are_rounded_by_a_conversion_too(
    tmp_path: Path, logged: str, question: str, verdict: str
) -> None:
    project = made(tmp_path / "p", "int f(int x) { return x; }", CENTIMETRES, f"X\n{logged}\n")
    assert Project.open(project).ask(question).verdict.value == verdict


def test_a_rounded_whole_number_is_verified(tmp_path: Path) -> None:
    project = made(tmp_path / "p", "int f(int x) { return x; }", CENTIMETRES, "X\n1.234\n")
    questions = "did x in {123..124}", "might x == 123 if x is anything"
    (tmp_path / "case.zip").write_bytes(bundled(tmp_path, project, questions))
    assert [fact.standing for fact in verify(tmp_path / "case.zip").facts] == [Standing.REPROVED] * 2


def test_another_name_for_bytes_is_not_rounded(tmp_path: Path) -> None:
    source = "union u { double d; float f; }; int f(union u *u) { return u->d > 7; }"
    manifest = '[trace.columns]\n"u.f" = { column = "X", decimals = 1 }\n'
    with pytest.raises(TraceError, match="another name for bytes"):
        Project.open(made(tmp_path / "p", source, manifest, "X\n0.5\n"))


def test_state_is_not_derived_across_a_gap_in_the_times(tmp_path: Path) -> None:
    """The program was called at 3 s too, with level 9: what is derived over the rows is not what it remembered."""
    (tmp_path / "p.c").write_text("static int n; int decide(int level) { if (level > 5) n++; return n > 1; }\n")
    (tmp_path / "log.csv").write_text("t,level,return\n0,1,0\n1,9,0\n2,1,0\n4,1,\n5,1,\n")
    manifest = '[program]\nengine = "llvm"\nsources = ["p.c"]\nentry = "decide"\n[trace]\nfile = "log.csv"\n'
    manifest += 'from_start = true\ntime = { column = "t", unit = "s" }\n[variables]\nlevel = { domain = [0, 4] }\n'
    (tmp_path / "soid.toml").write_text(manifest)
    counted = Project.open(tmp_path, step=4)
    found = counted.ask("might return == 1 if level is anything")
    assert found.verdict.value == "unknown" and "it depends on n" in found.reason
    missing = "Calls may be missing between step 2 and step 3, which were logged 2 s apart."
    assert missing in found.wanting and "every_call = true" in found.wanting
    for question in ("did return == 0 within 3 steps", "might return == 1 within 3 steps if level is anything"):
        with pytest.raises(KeyframeError, match=r"step 3 of .* may not be the call right after step 2") as refused:
            counted.at(1).ask(question)
        assert missing in refused.value.remedy
    assert counted.at(1).ask("did return == 0 after 2 steps").verdict.value == "yes"
    assert counted.at(1).ask("might return == 1 within 3 steps held if level is anything").verdict.value == "no"
    assert counted.compare_log().gaps == 1
    (tmp_path / "soid.toml").write_text(manifest.replace('"s" }', '"s", period = 1 }'))
    numbered = Project.open(tmp_path, step=5).ask("might return == 1 if level is anything")
    assert numbered.verdict.value == "unknown" and "it depends on n" in numbered.reason
    assert numbered.supplied.underived == "The log has no step between step 2 and step 4."
    (tmp_path / "soid.toml").write_text(manifest.replace("[trace]", "[trace]\nevery_call = true"))
    stated = Project.open(tmp_path, step=4).ask("might return == 1 if level is anything")
    assert stated.verdict.value == "no" and Ledger.EVERY_CALL.of(", as its manifest says") in stated.relies_on


def test_a_converted_value_between_two_floats_is_both_of_them_for_would_and_might(tmp_path: Path) -> None:
    """100 ft are 30.48 m, which is no float: the fact is the one below or the one above, where it returns 1."""
    above = "0x1.e7ae16p+4f"
    (tmp_path / "p.c").write_text(f"int decide(float alt, int y) {{ return alt >= {above} && y < 100; }}\n")
    (tmp_path / "log.csv").write_text("ft,y\n100,150\n101,150\n100,150\n99,150\n")
    manifest = '[program]\nengine = "llvm"\nsources = ["p.c"]\nentry = "decide"\n[trace]\nfile = "log.csv"\n'
    manifest += '[trace.columns]\nalt = { column = "ft", unit = "ft" }\n'
    manifest += '[variables]\nalt = { unit = "m" }\ny = { domain = [0, 200] }\n'
    (tmp_path / "soid.toml").write_text(manifest)
    asked = {
        (0, "might return == 1 if y is anything"): "unknown",
        (0, "would return == 0 if y is anything"): "unknown",
        (0, "might return == 1 if y > 100"): "no",
        (0, "might return == 1 if y is anything and alt == 31.0"): "yes",
        (1, "might return == 1 if y is anything"): "yes",
        (1, "might return == 1 within 2 steps if y is anything at step 2"): "unknown",
        (1, "might return == 1 within 3 steps held if y is anything from step 2"): "yes",
        (2, "might return == 1 after 2 steps held if y is anything from step 3"): "unknown",
        (2, "might return == 1 after 2 steps if y is anything from step 3"): "no",
        (3, "might return == 1 if y is anything"): "no",
    }
    for (step, question), verdict in asked.items():
        found = Project.open(tmp_path, step=step).ask(question)
        assert found.verdict.value == verdict, (step, question, found.reason)
        if verdict == "unknown":
            assert "digits of alt" in found.reason
            assert "from 30.480001 on" in found.reason and "up to 30.48" in found.reason


def test_a_domain_says_nothing_about_digits_that_were_not_logged(tmp_path: Path) -> None:
    """19.96 is logged as 20.0: that questions range from 20 on does not make it 20 or more."""
    (tmp_path / "p.c").write_text("int decide(double x, int y) { return x >= 20.0 ? 1 : y; }\n")
    (tmp_path / "log.csv").write_text("x,y\n20.0,0\n20.1,0\n")
    manifest = '[program]\nengine = "llvm"\nsources = ["p.c"]\nentry = "decide"\n[trace]\nfile = "log.csv"\n'
    for domain in ("[20.0, 30.0]", "{ values = [20.0, 20.5, 21.0] }"):
        entries = f"[variables]\nx = {{ domain = {domain}, logged = {{ decimals = 1 }} }}\ny = {{ domain = [0, 5] }}\n"
        (tmp_path / "soid.toml").write_text(manifest + entries)
        for question in ("did return == 1", "might return == 3 if y is anything"):
            assert Project.open(tmp_path, step=0).ask(question).verdict.value == "unknown", (domain, question)
        assert Project.open(tmp_path, step=1).ask("did return == 1").verdict.value == "yes"
