"""`soid init`: what it decides by running the program, what it asks, what it refuses, and what it leaves alone."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from soid.cli import main
from tests.unit.cli.terminal.test_choices import Typed

SOURCE: Final = """
enum mode { IDLE, GO, STOP };
struct in { float height; _Bool lamp; _Bool gate; };
static int going;
enum mode choose(const struct in *i) {
    if (!i->lamp) return STOP;
    if (i->height > 30.0f) { going++; return GO; }
    return i->gate ? GO : IDLE;
}
"""
#: hgt_ft is in feet, the program has metres, and nothing says so; `shut` is true, and nothing says that either
LOG: Final = """t,hgt_ft,lampe,gate,m,note
0,10,ok,open,IDLE,a
1,90,ok,open,IDLE,b
2,99,ok,shut,GO,c
3,10,fault,shut,STOP,d
"""

Made = Callable[..., Path]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    def write(source: str = SOURCE, **logs: str) -> Path:
        (tmp_path / "choose.c").write_text(source)
        for name, text in (logs or {"log": LOG}).items():
            (tmp_path / f"{name}.csv").write_text(text)
        return tmp_path

    return write


def read(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "soid.toml").read_text())


def test_running_the_program_settles_units_and_truths(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    folder = made()
    assert main(["init", str(folder), "--json"]) == 0  # no terminal and no --yes: there is nothing left to ask
    found = json.loads(capsys.readouterr().out)
    assert (found["agreeing"], found["compared"], found["ignored"], found["unlogged"]) == (4, 4, ["note"], ["going"])
    columns = read(folder)["trace"]["columns"]
    assert columns["i.height"] == {"column": "hgt_ft", "unit": "ft", "decimals": 0}
    assert columns["i.gate"]["labels"] == {"open": False, "shut": True}
    assert read(folder)["variables"]["i.height"]["unit"] == "m"
    assert len(found["guesses"]) == 3 and all("decides as logged in" in each for each in found["guesses"])


def test_what_running_does_not_settle_is_asked(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made(log="hgt_ft,lamp,gate,m\n10,1,0,IDLE\n11,1,0,IDLE\n200,0,0,STOP\n")
    assert main(["init", str(folder)]) == 10 and not (folder / "soid.toml").exists()
    monkeypatch.setattr(sys, "stdin", Typed("2\n"))
    monkeypatch.setattr(sys, "stdout", Typed())
    assert main(["init", str(folder)]) == 0
    assert read(folder)["variables"]["i.height"]["unit"] == "m"
    assert "confirmed" in (folder / "soid.toml").read_text() and "GUESSED" not in (folder / "soid.toml").read_text()


def test_a_manifest_is_not_overwritten(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    folder = made()
    (folder / "soid.toml").write_text("mine")
    assert main(["init", str(folder), "--yes"]) == 11
    assert "--force" in capsys.readouterr().err and (folder / "soid.toml").read_text() == "mine"
    (folder / "soid.toml").unlink()
    (folder / "soid.toml").symlink_to(folder / "nowhere")
    assert main(["init", str(folder), "--yes"]) == 11 and not (folder / "nowhere").exists()
    (folder / "soid.toml").unlink()
    assert main(["init", str(folder), "--yes"]) == 0
    assert main(["init", str(folder), "--yes", "--force"]) == 0


def test_an_input_that_is_not_logged_is_not_guessed(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    folder = made(log="lamp,gate,m\n1,0,IDLE\n0,0,STOP\n")
    assert main(["init", str(folder), "--yes", "--json"]) == 15
    found = json.loads(capsys.readouterr().out)
    assert found["missing"] == ["i.height"] and "i.height" in found["problem"]
    # what has one answer for every height is proposed all the same, and written as what to ask
    assert (found["questions"][0]["question"], found["questions"][0]["verdict"]) == ("did return == STOP", "yes")
    assert read(folder)["questions"]["ask"][0] == "did return == STOP"
    text = (folder / "soid.toml").read_text()
    assert '# "i.height" = { initial = 0.0 }' in text and "i.height" not in read(folder).get("variables", {})
    completed = text.replace('# "i.height"', '"i.height"')
    (folder / "soid.toml").write_text(completed)
    assert main(["ask", "-p", str(folder), "-s", "0", "did return == IDLE"]) == 0  # the line is ready to be used


def test_a_log_that_the_program_contradicts(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    folder = made(log="height,lamp,gate,m\n10,1,0,GO\n10,1,1,IDLE\n")
    assert main(["init", str(folder), "--yes"]) == 4
    out = " ".join(capsys.readouterr().out.split())
    assert "decides as logged in 0 of 2 steps" in out and "this may be the log of another program" in out


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("foo,bar\n1,2\n", "no column of log.csv fits a variable of the program. Its columns are: foo, bar"),
        ("height;lamp;m\n1,5;1;GO\n", "height has numbers with a decimal comma (1,5)"),
        ("", "there is no step in it"),
    ],
)
def test_logs_that_are_refused(log: str, words: str, made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    folder = made(log=log)
    assert main(["init", str(folder), "--yes"]) in (15, 16)
    assert words in " ".join(capsys.readouterr().err.split()) and not (folder / "soid.toml").exists()


def test_what_the_compiler_says(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(made(source="int f(int x) { return x + ; }")), "--yes"]) == 24
    err = capsys.readouterr().err
    assert "choose.c:1:27: error: expected expression" in err and "--source" in err


def test_several_logs_and_several_functions(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    folder = made(source=f"{SOURCE}\nenum mode select(const struct in *i) {{ return choose(i); }}", log=LOG, other=LOG)
    assert main(["init", str(folder)]) == 10
    assert "log.csv; other.csv" in " ".join(capsys.readouterr().err.split())
    log = str(folder / "other.csv")
    assert main(["init", str(folder), "--yes", "--log", log, "--entry", "choose", "--json"]) == 0
    assert read(folder)["trace"]["file"] == "other.csv" and read(folder)["program"]["entry"] == "choose"
    assert main(["init", str(folder), "--yes", "--force", "--entry", "chose"]) == 10
    assert "Did you mean choose?" in capsys.readouterr().err


def test_a_program_that_ends_itself_in_the_log(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    source = "#include <stdlib.h>\nint decide(int speed, int gap) { if (gap == 3) abort(); return speed > gap; }"
    folder = made(source, log="speed,gap,return\n2,1,1\n2,2,0\n2,3,0\n2,4,0\n")
    assert main(["init", str(folder), "--yes", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["agreeing"], found["compared"]) == (2, 2)
    assert found["obstacle"] == "the program is ended by SIGABRT, at step 2" and len(found["questions"]) == 3


@pytest.mark.parametrize(("counts", "name"), [((0, 1, 2, 3, 3), "count"), ((1, 2, 3, 3, 4), "count'")])
def test_whether_state_was_logged_before_the_call_or_after_it(counts: tuple[int, ...], name: str, made: Made) -> None:
    source = "static int count; int decide(int x) { if (x > 0) count++; return count > 2; }"
    rows = [
        f"{x},{count},{int(count + (x > 0 and name == 'count') > 2)}\n"
        for x, count in zip((1, 1, 1, 0, 1), counts, strict=True)
    ]
    folder = made(source, log="x,the_count,return\n" + "".join(rows))
    assert main(["init", str(folder), "--json"]) == 0
    assert read(folder)["trace"]["columns"] == {name: "the_count"}


def test_an_input_in_another_file_and_cells_without_a_value(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    source = "struct in { int speed; int gap; }; int decide(const struct in *in) { return in->speed > in->gap; }"
    folder = made(source, log="time_ms,speed,decision,return\n0,2,x,NA\n100,3,y,0\n", radar="time_ms,gap\n0,3\n50,4\n")
    assert main(["init", str(folder), "--yes", "--log", str(folder / "log.csv")]) == 15  # only that one is looked at
    (folder / "soid.toml").unlink()
    capsys.readouterr()
    assert main(["init", str(folder), "--yes", "--json"]) == 15
    found = json.loads(capsys.readouterr().out)
    (told,) = [each for each in found["warnings"] if "radar.csv may have in.gap, in its column gap" in each]
    assert '[[trace.join]] with file = "radar.csv", time = { column = "time_ms", unit = "ms" }' in told
    assert read(folder)["trace"]["missing"] == ["NA"]


def test_a_column_without_a_telling_name_is_taken_only_if_no_other_fits(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    one = "alpha,beta,lamp,gate,m\n10,5,1,0,IDLE\n31,5,1,0,GO\n10,5,0,0,STOP\n33,9,1,0,GO\n"
    folder = made(log=one)
    assert main(["init", str(folder), "--yes", "--json"]) == 0
    assert read(folder)["trace"]["columns"]["i.height"]["column"] == "alpha"
    assert "no column seems to have the values of i.height; taken: the column alpha" in capsys.readouterr().out
    folder = made(log=one.replace(",5,", ",31,").replace("10,31,1", "10,11,1").replace("33,9", "33,35"))
    assert main(["init", str(folder), "--yes", "--force", "--json"]) == 15
    assert json.loads(capsys.readouterr().out)["missing"] == ["i.height"]
    folder = made(log="alpha,lamp,gate,m\n10,0,0,STOP\n31,0,0,STOP\n")  # it fits, as any other would
    assert main(["init", str(folder), "--yes", "--force", "--json"]) == 15
