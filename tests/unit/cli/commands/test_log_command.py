"""`soid log show`: what was logged is drawn, what was not is named, and what a script reads is complete."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from soid.cli import main
from soid.examples import folder

DRONE = ("--project", str(folder("drone")))


def test_the_drone_s_flight(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["log", "show", *DRONE]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out and max(map(len, out.splitlines())) <= 100 + len(str(folder("drone")))
    (mode,) = (line for line in out.splitlines() if line.startswith("  return.mode "))
    assert mode.split()[1].startswith("│MANUAL───") and mode.count("│") + mode.count("╫") >= 6
    assert "25.249632 at 185" in out and "-0.042672 at 296" in out
    words = [line.split() for line in out.splitlines()]
    assert words[-1] == ["237", "47.4", "s", "return.mode", "MODE_HOVER", "MODE_LAND"]
    assert words[words.index(["0", "100", "200"]) + 1] == ["0", "s", "20", "s", "40", "s"]


def test_what_was_not_logged_and_follows_is_drawn_and_marked(capsys: pytest.CaptureFixture[str]) -> None:
    part = ("log", "show", "return.alarm", "return.climb", "bad_gps_ticks", "--from", "226", "--to", "238", *DRONE)
    assert main([*part]) == 0
    out = capsys.readouterr().out
    assert "  return.alarm* " in out and "  return.climb* " in out and "  bad_gps_ticks* " in out
    told = "* Not logged, and derived by running the program: return.climb, return.alarm, bad_gps_ticks."
    assert told in " ".join(out.split())
    assert out.splitlines()[-1].split() == [
        *("228", "45.6", "s", "return.alarm", "false", "(derived)", "true", "(derived)")
    ]
    assert main([*part, "--json"]) == 0
    tracks = {each["name"]: each for each in json.loads(capsys.readouterr().out)["tracks"]}
    assert {name: track["derived"] for name, track in tracks.items()} == dict.fromkeys(tracks, 13)
    assert [(band["value"], band["derived"]) for band in tracks["return.alarm"]["bands"]] == [(False, 2), (True, 11)]


def test_a_part_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "show", "s.gps", "s.link", "--from", "140", "--to", "149", "--width", "60", *DRONE]) == 0
    out = capsys.readouterr().out
    assert "steps 140 to 149" in out and "10 of 300 steps in the log" in out
    assert "s.gps.sats" in out and "s.link" in out and "s.battery" not in out and "return.mode" not in out


@pytest.mark.parametrize(
    ("first", "last", "steps"),
    [
        ("40s", "48s", (200, 240)),
        ("40.1s", "48.19s", (200, 240)),  # between two rows, the one before is in force
        ("@1778338840000", "0:48", (200, 240)),
        ("40s", "240", (200, 240)),
        ("0s", "59.8s", (0, 299)),
    ],
)
def test_a_part_from_a_time_to_a_time(
    first: str, last: str, steps: tuple[int, int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["log", "show", "return.mode", "--from", first, "--to", last, "--json", *DRONE]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["first"], said["last"]) == steps
    assert (said["first_time"], said["last_time"]) == (steps[0] / 5, steps[1] / 5)


def test_what_stays_the_same_is_said_and_not_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "show", "s.pilot", "return.mode", "--from", "240", *DRONE]) == 0
    out = capsys.readouterr().out
    drawn = out.partition("59.8 s\n")[2]  # whatever the folder's name, and however it is wrapped
    assert drawn.split("\n") == ["", "  The same at every step: return.mode = MODE_LAND, s.pilot = PILOT_HOLD.", ""]


def test_for_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "show", "return.mode", "s.altitude", "--width", "50", "--json", *DRONE]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["program"], said["step"], said["steps"]) == ("return to home", 220, 300)
    mode, altitude = said["tracks"]
    assert [band["value"] for band in mode["bands"]][-2:] == ["MODE_HOVER", "MODE_LAND"] and mode["cells"] is None
    assert len(altitude["cells"]) == 50 and altitude["bands"] is None
    landed = {"step": 237, "time": 47.4, "name": "return.mode", "before": "MODE_HOVER", "after": "MODE_LAND"}
    assert said["changes"][-1] == landed


def test_it_is_drawn_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "log.svg"
    assert main(["log", "show", "s.gps", "--svg", str(file), *DRONE]) == 0
    assert str(file) in capsys.readouterr().out
    assert "220 asked about" in file.read_text()


def test_a_gap_is_said_because_a_drawing_by_steps_does_not_show_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = (folder("drone") / "recorder.csv").read_text().splitlines(keepends=True)
    (tmp_path / "cut.csv").write_text("".join([*rows[:21], *rows[31:51]]))
    assert main(["log", "show", "return.mode", *DRONE, "--trace", str(tmp_path / "cut.csv")]) == 0
    assert "warning: 1 gap in the log's times: the longest is 2.2 s" in " ".join(capsys.readouterr().out.split())


def test_what_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "show", "--from", "400", *DRONE]) == 17
    assert "no step from 400" in capsys.readouterr().err
    assert main(["log", "show", "--from", "1:00", *DRONE]) == 17
    err = " ".join(capsys.readouterr().err.split())
    assert "no step at 1:00" in err and "from 0 s to 59.8 s" in err and "@1778338800000 to @1778338859800" in err
    assert main(["log", "show", "--to", "soon", *DRONE]) == 17
    assert "soon is neither a step nor a time" in capsys.readouterr().err
    assert main(["log", "show", "s.altitud", *DRONE]) == 19
    assert "s.altitude" in capsys.readouterr().err
