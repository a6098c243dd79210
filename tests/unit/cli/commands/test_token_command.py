"""Tokens at the command line: made once, listed without themselves, revoked."""

import json

from soid.cli import main
from soid.web.token_file import TokenFile, proof_of
from soid.web.user import UserRole
from tests.json_page import misfits


def said(capsys, *arguments):
    status = main(["token", *arguments, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_a_token_is_made_listed_and_revoked(capsys, tmp_path):
    where = ("--cases", str(tmp_path))
    status, made = said(capsys, "new", "ada", "--role", "comment", *where)
    assert status == 0 and misfits(made, "token new") == {}
    user = TokenFile.at(tmp_path).user(proof_of(made["token"]))
    assert user is not None and (user.name, user.role, user.key) == ("ada", UserRole.COMMENT, made["id"])
    status, listed = said(capsys, "list", *where)
    assert status == 0 and misfits(listed, "token list") == {}
    assert made["token"] not in json.dumps(listed) and listed["tokens"][0]["id"] == made["id"]
    assert main(["token", "list", *where]) == 0
    out = capsys.readouterr().out
    assert "ada" in out and "comment" in out and made["token"] not in out
    assert said(capsys, "revoke", made["id"], *where) == (0, {"revoked": ["ada"]})
    assert TokenFile.at(tmp_path).known == ()


def test_by_default_one_may_read_and_the_token_is_said_once(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["token", "new", "ben"]) == 0
    out = capsys.readouterr().out
    (known,) = TokenFile.at(tmp_path).known
    assert known.role is UserRole.READ and f"ben (token {known.key})" in " ".join(out.split())


def test_what_is_wrong_is_said(capsys, tmp_path):
    assert said(capsys, "revoke", "nobody", "--cases", str(tmp_path))[0] == 10
    assert said(capsys, "new", "a\nb", "--cases", str(tmp_path))[1]["error"]["remedy"]
    assert said(capsys, "new", "ada", "--cases", str(tmp_path / "none"))[1]["error"]["remedy"]
    assert main(["token", "new", "ada", "--role", "king", "--cases", str(tmp_path)]) == 64
