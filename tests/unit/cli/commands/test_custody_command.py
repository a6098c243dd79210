"""Custody at the command line: keys, anchors, logs from the scene, and what a script learns from the exit status."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from soid.case.case import Case
from soid.case.custody.author_key import author_key, protect
from soid.case.custody.time_stamp import nonce_in
from soid.case.record.entry import EntryKind
from soid.case.record.record import Record
from soid.cli import main
from soid.examples import folder
from tests.unit.case.custody.authority import Authority

OVEN = str(folder("microwave"))
SHA = hashlib.sha256((folder("microwave") / "log.jsonl").read_bytes()).hexdigest()
TEST_KEY = "339e2ff917630507b6a423b5ce084e285d1fa65d93b3e27a6195d3bbebc9ae23"  # of tests/conftest.py


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    file: Path = tmp_path_factory.mktemp("custody") / "oven.case"
    with Case.create(file, folder("microwave"), who="ada") as case:
        case.note(1, "hm")
    return file


@pytest.fixture
def file(made, tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    return shutil.copy(made, "oven.case")


def printed(capsys) -> str:
    return " ".join(capsys.readouterr().out.split())


def said(capsys) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_verify_names_who_signed_what(file, capsys, monkeypatch):
    monkeypatch.setenv("SOID_KEY", "none")
    assert main(["case", "note", file, "1", "by anyone", "--who", "eve"]) == 0
    assert main(["case", "verify", file]) == 0
    words = printed(capsys)
    assert f"signed with the key {TEST_KEY}: entries 1 to 2 as ada" in words and "not signed: entry 3" in words
    assert main(["case", "show", file]) == 0
    assert "not signed: entry 3" in printed(capsys)
    assert main(["case", "verify", file, "--key", TEST_KEY]) == 26
    assert "entry 3: not signed" in capsys.readouterr().err


def test_the_public_key_is_printed_as_it_can_be_copied(capsys):
    assert main(["case", "key"]) == 0
    shown = capsys.readouterr().out
    assert main(["case", "key", "--json"]) == 0
    assert shown.endswith(json.loads(capsys.readouterr().out)["pem"])


def test_verify_takes_keys_that_are_expected(file, capsys):
    assert main(["case", "key", "--public", "ada.pem", "--json"]) == 0
    key = said(capsys)
    assert key["fingerprint"] == TEST_KEY and Path("ada.pem").read_text() == key["pem"]
    for good in ("ada.pem", "ada=ada.pem", TEST_KEY, f"ada={TEST_KEY}"):
        assert main(["case", "verify", file, "--key", good]) == 0
        assert "Every entry is signed with a key that you named." in printed(capsys)
    for wrong, status in ((f"ben={TEST_KEY}", 26), ("0" * 64, 26), ("nowhere.pem", 25)):
        assert main(["case", "verify", file, "--key", wrong]) == status
    assert main(["case", "verify", file, "--key", "0" * 64, "--key", TEST_KEY]) == 0


def test_an_anchor_goes_out_and_its_stamp_comes_back(file, capsys):
    assert main(["case", "anchor", file, "--json"]) == 0
    written = said(capsys)
    assert written == {
        "anchor": "oven.anchor-2.json",
        "request": "oven.anchor-2.tsq",
        "entries": 2,
        "head": Record(Path(file)).entries[-1].hash,
    }
    assert len(Record(Path(file)).entries) == 2  # nothing is recorded yet
    assert main(["case", "anchor", file]) == 25 and "there already" in capsys.readouterr().err
    authority = Authority()
    authority.write_root(Path("root.pem"))
    Authority("Other").write_root(Path("other.pem"))
    nonce = nonce_in(Path("oven.anchor-2.tsq").read_bytes())
    text = Path("oven.anchor-2.json").read_bytes()
    Path("oven.anchor-2.tsr").write_bytes(authority.stamp(text, nonce))
    Path("wrong.tsr").write_bytes(authority.stamp(text, 1))
    answer = ["case", "anchor", file, "--response"]
    assert main([*answer, "oven.anchor-2.tsr"]) == 25 and "--certificates" in capsys.readouterr().err
    assert main([*answer, "oven.anchor-2.tsr", "--certificates", "other.pem"]) == 25
    assert main([*answer, "wrong.tsr", "--request", "oven.anchor-2.tsq", "--certificates", "root.pem"]) == 25
    assert len(Record(Path(file)).entries) == 2
    assert main([*answer, "oven.anchor-2.tsr", "--certificates", "root.pem"]) == 0
    capsys.readouterr()
    assert main(["case", "verify", file, "--certificates", "root.pem"]) == 0
    words = "entries 1 to 2 existed at 2030-01-02T12:00:00.000Z according to CN=Test Time"
    assert words in printed(capsys)
    assert main(["case", "verify", file]) == 0
    assert f"{words}, by the root certificate" in printed(capsys)
    assert main(["case", "verify", file, "--certificates", "other.pem"]) == 26


def test_a_response_without_its_request_is_taken_with_a_warning(file, capsys):
    assert main(["case", "anchor", file, "--to", "a"]) == 0
    authority = Authority()
    authority.write_root(Path("root.pem"))
    Path("b.tsr").write_bytes(authority.stamp(Path("a.json").read_bytes(), 5))
    assert main(["case", "anchor", file, "--response", "b.tsr", "--certificates", "root.pem"]) == 0
    assert "random number is not compared" in " ".join(capsys.readouterr().err.split())


def test_a_log_that_was_noted_at_the_scene(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    new = ["case", "new", "oven.case", "-p", OVEN]
    assert main([*new, "--log-sha256", "0" * 64]) == 25
    assert f"its SHA-256 is {SHA}" in capsys.readouterr().err and not Path("oven.case").exists()
    assert main([*new, "--log-sha256", SHA, "--log-name", "BLACKBOX.BIN"]) == 0
    assert main(["case", "attest", "oven.case", "--log-sha256", SHA]) == 0
    assert main(["case", "attest", "oven.case", "--log-sha256", "1" * 64]) == 25
    assert main(["case", "attest", "oven.case"]) == 25
    capsys.readouterr()
    assert main(["case", "verify", "oven.case", "--json"]) == 0
    first, second = said(capsys)["custody"]["logs"]
    assert (first["entry"], first["name"], first["sha256"]) == (2, "BLACKBOX.BIN", SHA)
    assert (second["entry"], second["name"]) == (3, "log.jsonl")
    assert main(["report", "oven.case"]) == 0
    page = Path("oven.html").read_text()
    assert "its file was called BLACKBOX.BIN" in page and TEST_KEY in page


@pytest.mark.parametrize("kind", [EntryKind.ATTESTED, EntryKind.ANCHORED])
def test_a_false_entry_is_told_and_not_shown(file, capsys, kind):
    """Somebody without manners added it: nothing is in it that such an entry has."""
    Record(Path(file)).append(kind, {}, who="eve", when="2030")
    for command in (["case", "show", file], ["case", "show", file, "3"], ["case", "verify", file], ["report", file]):
        assert main(command) == 26
        assert "entry 3" in capsys.readouterr().err
    assert main(["bundle", file]) == 26


def test_a_new_key_is_told_once(file, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SOID_KEY", str(tmp_path / "new.pem"))
    assert main(["case", "note", file, "1", "x"]) == 0
    assert "with a new key in" in " ".join(capsys.readouterr().err.split())
    assert main(["case", "note", file, "1", "x"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["case", "verify", file]) == 0
    assert "2 keys signed under the name" not in printed(capsys)  # of two people with a name each


@pytest.fixture
def locked(tmp_path, monkeypatch) -> Path:
    """A key with a passphrase, where nobody is at a terminal."""
    monkeypatch.setenv("SOID_KEY", str(tmp_path / "locked.pem"))
    found = author_key()
    assert found.key is not None and found.file is not None
    protect(found.file, found.key, "secret")
    return found.file


def test_a_locked_key_is_told_and_never_waited_for(file, locked, capsys, monkeypatch):
    for command in (
        ["case", "note", file, "1", "x"],
        ["serve", file, "--port", "0"],
        ["case", "new", "b.case", "-p", OVEN],
    ):
        assert main(command) == 25
        error = capsys.readouterr().err
        assert "protected by a passphrase" in error and "SOID_KEY_PASSPHRASE" in error
    assert len(Record(Path(file)).entries) == 2 and not Path("b.case").exists()
    assert main(["case", "verify", file]) == 0  # to read needs no key
    monkeypatch.setenv("SOID_KEY_PASSPHRASE", "secret")
    assert main(["case", "note", file, "1", "x"]) == 0
    assert main(["case", "verify", file]) == 0


def test_a_person_at_a_terminal_is_asked(file, locked, capsys, monkeypatch):
    monkeypatch.setattr("soid.cli.terminal.own_key.getpass", lambda words: "secret")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert main(["case", "note", file, "1", "x"]) == 0
    assert main(["serve", file, "--port", "0"]) == 25  # a server does not ask, even there
    assert main(["case", "key", "--passphrase", "--json"]) == 0
    monkeypatch.setattr("soid.cli.terminal.own_key.getpass", lambda words: "wrong")
    assert main(["case", "note", file, "1", "x"]) == 25


def test_a_bundle_is_signed_with_a_key_that_has_a_passphrase(file, locked, capsys, monkeypatch):
    assert main(["bundle", file, "--key", str(locked)]) == 25
    assert not Path("oven.zip").exists()
    monkeypatch.setenv("SOID_KEY_PASSPHRASE", "secret")
    assert main(["bundle", file, "--key", str(locked)]) == 0
    assert main(["case", "key", "--public", "public.pem"]) == 0
    capsys.readouterr()
    assert main(["verify", "oven.zip", "--key", "public.pem", "--author", f"ada={TEST_KEY}", "--json"]) == 3  # no facts
    report = said(capsys)
    assert report["signed"] and report["custody"]["unsigned"] == []
    assert main(["verify", "oven.zip", "--author", "0" * 64]) == 27
    assert main(["verify", "oven.zip", "--author", "nowhere.pem"]) == 27
    assert main(["verify", "oven.zip", "--key", "nowhere.pem"]) == 27
