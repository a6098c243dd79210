import json
from xml.etree import ElementTree

import pytest

from soid.cli import main
from tests.unit.scene.scenes import PROGRAM, SCENE, project

QUESTION = "might not go if signal is anything"


@pytest.fixture
def at(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    return ("scene", "--project", str(project(tmp_path)))


def test_a_moment_is_drawn(at, capsys):
    assert main([*at]) == 0
    out = capsys.readouterr().out
    assert all(part in out for part in ("A street", "step 3", "▬►", "●P", 'decides for "go"', "right lights blinking"))
    assert "in the scenario" not in out


def test_a_question_draws_its_scenario_beside_the_fact(at, capsys):
    assert main([*at, "--question", QUESTION]) == 0
    out = capsys.readouterr().out
    assert all(
        part in out for part in ("✔ YES", "in the scenario", "▷", "signal: RIGHT → NONE", 'decides against "go"')
    )


@pytest.mark.parametrize(
    ("question", "status"),
    [("did go", 0), ("would go if signal in {LEFT}", 1), ("would go if signal == LEFT and signal == RIGHT", 2)],
)
def test_the_status_is_the_answer_s(at, capsys, question, status):
    assert main([*at, "--question", question]) == status
    drawn = "in the scenario\n" in capsys.readouterr().out
    assert drawn is (status == 1)  # of what happened, and of nothing, there is no scenario


def test_svg(at, tmp_path, capsys):
    file = tmp_path / "street.svg"
    assert main([*at, "--question", QUESTION, "--svg", str(file)]) == 0
    assert f"drawn in {file}" in capsys.readouterr().out.replace("\n  ", "")
    root = ElementTree.parse(file).getroot()
    assert root.tag.endswith("svg") and "signal: RIGHT → NONE" in (root.get("aria-label") or "")
    assert main([*at, "--svg", str(tmp_path / "nowhere" / "street.svg")]) == 10
    assert "cannot be written" in capsys.readouterr().err


def test_for_scripts(at, capsys):
    assert main([*at, "--question", QUESTION, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    car, person = said["actors"]
    assert (car["mark"], car["x"], car["y"], car["direction"], car["blinking"]) == ("A", 2.0, 1.5, 0.0, "right")
    assert (person["present"], person["direction"], person["values"]) == (True, None, {"who": "PERSON", "where": 7})
    assert said["scenario"]["actors"][0]["blinking"] == "off"
    (difference,) = said["scenario"]["differences"]
    assert (difference["variable"], difference["fact"], difference["scenario"]) == ("signal", "RIGHT", "NONE")
    assert [(handle["mark"], handle["grip"]) for handle in said["handles"]] == [
        ("A", "position"),
        ("A", "heading"),
        ("P", "position"),
    ]
    assert (said["answer"]["verdict"], said["svg"]) == ("yes", None)


def test_places_that_are_no_numbers_are_null_in_json(tmp_path, capsys):
    place = project(tmp_path, program=PROGRAM.replace('"float64", unit = "m"', '"float64", domain = "any bits"'))
    log = tmp_path / "log.jsonl"
    log.write_text(log.read_text().replace('"y": "1.5"', '"y": "nan"'))
    assert main(["scene", "--project", str(place), "--json"]) == 0
    car = json.loads(capsys.readouterr().out)["actors"][0]
    assert (car["y"], car["values"]["y"]) == (None, "nan")


def test_without_a_scene_the_inputs_are_drawn_as_bars(tmp_path, capsys):
    place, file = str(project(tmp_path, "")), tmp_path / "bars.svg"
    assert main(["scene", "--project", place]) == 0
    assert "● in fact" in capsys.readouterr().out
    assert main(["scene", "--project", place, "--question", QUESTION, "--svg", str(file), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    signal = said["inputs"][0]
    assert (signal["variable"], signal["fact"], signal["scenario"]) == ("signal", "RIGHT", "NONE")
    assert said["answer"]["verdict"] == "yes" and signal["supposed"]
    assert "in the scenario NONE" in (ElementTree.parse(file).getroot().get("aria-label") or "")


def test_a_scene_that_does_not_fit_is_told_with_its_key(tmp_path, capsys):
    place = project(tmp_path, SCENE.replace('x       = "x"', 'x = "xx"'))
    assert main(["scene", "--project", str(place)]) == 11
    assert "[scene] actors[0] x: there is no variable xx" in " ".join(capsys.readouterr().err.split())
