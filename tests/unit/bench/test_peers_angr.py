"""angr as a peer: in an interpreter of its own, whose report is a verdict only where every path was followed."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from soid.bench import peers_angr
from soid.bench.peers_angr import VERSIONS, angr, judged
from soid.bench.peers_angr_worker import concluded
from soid.budget import Cancellation
from soid.errors import InputError
from soid.query.query import QueryKind
from tests.unit.bench.standing_in import put, stand_in

BROKEN = """\
echo 9.2.213
echo "Traceback (most recent call last):" >&2
echo "AttributeError: module 'bitstring' has no attribute 'ConstBitStream'" >&2
exit 1"""

#: it can be imported, and asked it says this
SAYS = "[ $# = 2 ] && echo 9.2.213 && exit; echo \"a warning\"; echo '%s'"


def test_an_interpreter_that_has_it_is_given_the_compiled_harness(tmp_path: Path) -> None:
    report = json.dumps({"holds": False, "paths": 1, "why": ""})
    script = f'[ $# = 3 ] && cp "$3" {tmp_path}/object; ' + SAYS % report
    peer = angr(stand_in(tmp_path, script, "python"))
    assert peer.ask is not None
    done = peer.ask(put(tmp_path), 100.0, Cancellation())
    assert (done.verdict, done.ended, done.note) == ("no", False, "")
    content = (tmp_path / "object").read_bytes()
    assert content.startswith(b"\x7fELF") and b"nondet_unsigned" in content and b"__CPROVER_assume" in content


def test_who_does_not_finish_is_stopped_and_says_nothing(tmp_path: Path) -> None:
    peer = angr(stand_in(tmp_path, "[ $# = 2 ] && echo 9.2.213 && exit; sleep 300", "python"))
    assert peer.ask is not None
    done = peer.ask(put(tmp_path), 0.5, Cancellation())
    assert (done.verdict, done.ended) == ("unknown", True) and done.seconds >= 0.5


@pytest.mark.parametrize(
    ("said", "errors", "expected"),
    [
        ('{"holds": true, "paths": 3, "why": ""}', "", ("yes", "")),
        ('{"holds": false, "paths": 1, "why": ""}', "", ("no", "")),
        ('{"holds": null, "paths": 1, "why": "left out: errored 1"}', "", ("unknown", "left out: errored 1")),
        ('{"holds": "yes"}', "", ("unknown", "its process ended: it said nothing")),
        ("{}", "", ("unknown", "its process ended: it said nothing")),
        ("[true]", "", ("unknown", "its process ended: it said nothing")),
        ("", "Killed\nMemoryError", ("unknown", "its process ended: MemoryError")),
        ('{"holds": true}\nand then', "Aborted", ("unknown", "its process ended: Aborted")),
    ],
)
def test_its_report_is_read_with_care(said: str, errors: str, expected: tuple[str, str]) -> None:
    assert judged(QueryKind.WOULD, said, errors) == expected


@pytest.mark.parametrize(
    ("fails", "reached", "foreign", "stashes", "holds"),
    [
        (False, 4, 0, {"active": 0, "deadended": 4, "unsat": 7, "errored": 0}, True),
        (True, 1, 0, {"active": 9, "errored": 2}, False),  # a failure is one whatever else there is
        (False, 0, 0, {"deadended": 0}, None),  # nothing was asked
        (False, 3, 0, {"deadended": 4}, None),  # one path ended elsewhere
        (False, 3, 0, {"active": 1, "deadended": 3}, None),
        (False, 3, 0, {"deadended": 3, "errored": 1}, None),
        (False, 3, 0, {"deadended": 3, "unconstrained": 1}, None),
        (False, 3, 0, {"deadended": 3, "interrupted": 1}, None),  # its solver gave up
        (False, 3, 1, {"deadended": 3}, None),
        (True, 3, 1, {"deadended": 3}, None),
    ],
)
def test_it_has_answered_only_where_every_path_was_followed(
    fails: bool, reached: int, foreign: int, stashes: dict[str, int], holds: bool | None
) -> None:
    found = concluded(fails, reached, foreign, stashes)
    assert (found["holds"], found["paths"], bool(found["why"])) == (holds, reached, holds is None)


def test_an_interpreter_without_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no"):
        angr(tmp_path / "python")
    with pytest.raises(InputError, match="No module named 'angr'"):
        angr(stand_in(tmp_path, "echo \"ModuleNotFoundError: No module named 'angr'\" >&2; exit 1", "python"))
    with pytest.raises(InputError, match=r"angr 9\.2\.213 cannot be imported: .*ConstBitStream") as raised:
        angr(stand_in(tmp_path, BROKEN, "python"))
    assert "venv" in str(raised.value) and "bitstring<5" in str(raised.value)


def test_this_interpreter_is_tried_where_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert not angr().is_here and "--angr" in angr().remedy
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    monkeypatch.setattr("sys.executable", str(stand_in(tmp_path, BROKEN, "python")))
    assert not angr().is_here and "9.2.213" in angr().why
    monkeypatch.setattr("sys.executable", str(stand_in(tmp_path, "echo 9.2.213", "python")))
    assert angr().is_here


def test_the_versions_named_are_those_of_the_project() -> None:
    project = tomllib.loads((Path(peers_angr.__file__).parents[3] / "pyproject.toml").read_text())
    assert tuple(project["dependency-groups"]["angr"]) == VERSIONS
