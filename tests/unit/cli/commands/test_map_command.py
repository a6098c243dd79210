import json
from xml.etree import ElementTree

import pytest

from soid.cli import main
from tests.unit.scene.scenes import project

OVER = "signal is anything"


@pytest.fixture
def at(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    return ("map", "--project", str(project(tmp_path)))


def test_a_map_in_characters(at, capsys):
    assert main([*at, "--over", OVER]) == 0
    out = capsys.readouterr().out
    assert "Decision map: signal" in out
    assert 'it decides for "go"' in out and 'it decides against "go"' in out
    assert 'in fact: signal RIGHT: it decides for "go"' in out
    assert "All 2 scenarios are settled" in out


def test_for_scripts(at, tmp_path, capsys):
    file = tmp_path / "map.svg"
    assert main([*at, "--over", OVER, "--by", "go", "--json", "--svg", str(file)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["svg"] == str(file)
    assert (said["by"], said["settled"], said["open"]) == ("go", 2, 0)
    assert [region["label"] for region in said["regions"]] == ["go = false", "go = true"]
    assert ElementTree.parse(file).getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--over", "keep signal"], 18, "nothing varies"),
        (["--over", "sgnal is anything"], 19, "there is no variable sgnal"),
        (["--over", OVER, "--by", "signal"], 18, "is what the program is given"),
        (["--over", OVER, "--svg", "nowhere/map.svg"], 10, "cannot be written"),
        ([], 64, "--over"),
    ],
)
def test_what_is_wrong_is_said(at, capsys, arguments, status, said):
    assert main([*at, *arguments]) == status
    assert said in capsys.readouterr().err


def test_suppositions_that_exclude_each_other(at, capsys):
    assert main([*at, "--over", "signal == LEFT and signal == RIGHT"]) == 0
    assert "No scenario satisfies these suppositions" in " ".join(capsys.readouterr().out.split())
