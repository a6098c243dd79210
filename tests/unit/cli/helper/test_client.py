"""Which commands look for a helper at all."""

from __future__ import annotations

import os
import sys

import pytest

from soid.cli import main
from soid.cli.helper import client
from soid.cli.helper.client import passed_on, start_helper


@pytest.fixture
def looked_for(monkeypatch, tmp_path) -> list[str]:
    """The sockets that were looked for, and the programs that were started."""
    found: list[str] = []
    (tmp_path / "soid").mkdir(mode=0o700)
    for name in ("SOID_HELPER", "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(client, "_connected", found.append)
    monkeypatch.setattr(os, "posix_spawn", lambda *given, **rest: found.append("started"))
    return found


def test_a_question_looks_for_a_helper_and_leaves_one_behind(looked_for):
    assert passed_on(["ask", "did x == 1"]) is None
    start_helper(["ask", "did x == 1"])
    assert len(looked_for) == 3 and looked_for[-1] == "started"


@pytest.mark.parametrize("words", [[], ["--version"], ["case", "ask"], ["run", "x.soid"], ["investigate"], ["init"]])
def test_a_command_that_records_or_asks_the_user_does_not(looked_for, words):
    assert passed_on(words) is None
    start_helper(words)
    assert not looked_for


@pytest.mark.parametrize(("name", "value"), [("SOID_HELPER", "off"), ("SOID_HELPER", "0"), ("CI", "true")])
def test_nor_where_it_is_switched_off(looked_for, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert passed_on(["ask"]) is None
    start_helper(["ask"])
    assert not looked_for


def test_nor_with_the_option(looked_for, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["soid", "--no-helper", "ask", "--sekonds"])
    assert main() == 64
    assert "soid ask --help" in capsys.readouterr().err
    assert not looked_for


def test_nor_where_others_may_enter_the_folder(looked_for, tmp_path):
    (tmp_path / "soid").chmod(0o750)
    assert passed_on(["ask"]) is None
    start_helper(["ask"])
    assert not looked_for


def test_the_first_steps_load_next_to_nothing():
    """Python, and the few modules of soid that pass a command on: what else they load, each command would wait for."""
    import subprocess

    script = "import sys; before = {*sys.modules}; from soid.cli import main; print(*({*sys.modules} - before))"
    ran = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    loaded = {name for name in ran.stdout.split() if not name.startswith("soid")}
    assert loaded <= {"__future__", "_socket", "binascii", "gc"}, loaded
