import json

import pytest

from soid.cli import main
from soid.engine.manifest_reader import load
from soid.examples import NAMES


def test_copying_an_example_overwrites_nothing(tmp_path, capsys):
    case = tmp_path / "case"
    assert main(["example", "copy", "microwave", str(case)]) == 0
    assert (case / "soid.toml").is_file()
    assert not list(case.rglob("*.py"))
    assert main(["example", "copy", "microwave", str(case)]) == 10
    assert "not empty" in capsys.readouterr().err
    assert main(["example", "copy", "toaster", str(tmp_path / "other")]) == 10
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("name", NAMES)
def test_a_copied_example_is_a_project_by_itself(name, tmp_path, capsys):
    assert main(["example", "copy", name, str(tmp_path / "case"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert str(tmp_path / "case") in said["projects"]
    for project in said["projects"]:
        assert len(load(project).questions) >= 1
    assert main(["ask", "did decides", "--project", str(tmp_path / "case"), "--quiet"]) == 0
