"""What is done with a case as a whole, at the command line."""

import json

import pytest

from soid.case.case import Case
from soid.case.deletion import deleted_in
from soid.cli import main
from soid.evidence.bundle import bundle
from soid.examples import folder


@pytest.fixture
def file(tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    Case.create("oven.case", folder("microwave"), title="The oven", who="ada").close()
    return "oven.case"


def said(capsys):
    return capsys.readouterr().out


def test_a_case_is_renamed_archived_and_brought_back(file, capsys):
    assert main(["case", "rename", file, "Moss v. Oven", "--who", "ada"]) == 0
    assert "called the case: Moss v. Oven" in said(capsys)
    assert main(["case", "archive", file, "--why", "settled"]) == 0
    assert main(["case", "note", file, "1", "hm"]) == 25
    assert "archived: settled" in capsys.readouterr().err
    assert main(["case", "unarchive", file, "--json"]) == 0
    assert json.loads(said(capsys))["kind"] == "retracted"


def test_a_case_is_deleted_by_its_name_alone(file, tmp_path, capsys):
    for wrong in ((), ("--name", "oven")):
        assert main(["case", "delete", file, *wrong]) == 25
    assert (tmp_path / file).exists()
    assert main(["case", "delete", file, "--name", "The oven", "--who", "ada", "--json"]) == 0
    gone = json.loads(said(capsys))
    assert gone["who"] == "ada" and gone["title"] == "The oven"
    assert [each.head for each in deleted_in(tmp_path)] == [gone["head"]]
    # a link to one of its facts must not lead to another case
    assert main(["case", "new", file, "--project", str(folder("microwave"))]) == 25
    assert "was deleted by ada" in capsys.readouterr().err
    assert main(["case", "new", "other.case", "--project", str(folder("microwave"))]) == 0


def test_a_bundle_becomes_a_case(file, tmp_path, capsys):
    (tmp_path / "oven.zip").write_bytes(bundle(tmp_path / file).data)
    assert main(["case", "restore", "oven.zip", "again.case", "--who", "ben"]) == 0
    assert "again.case has the 1 entry of oven.zip" in said(capsys)
    assert main(["case", "restore", "oven.zip", "again.case"]) == 25
    with Case.open("again.case", read_only=True) as again:
        assert [entry.who for entry in again.entries] == ["ada", "ben"]
