"""Veritas and treecf as peers: each in an interpreter of its own, whose report is read with care."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from soid.bench import model_peer_tools
from soid.bench.model_peer_tools import TREECF, VERITAS, ModelTool, judged, peer
from soid.bench.model_peers import ModelTask
from soid.budget import Cancellation
from soid.errors import InputError
from tests.unit.bench.standing_in import stand_in

TASK = ModelTask("m.json", (0.5,), (0.0,), (1.0,), positive=True, nearest=True, limit=2.0)
SAYS = '[ $# = 2 ] && exit; cp "$3" "$3.seen"; echo "a warning"; echo \'%s\''


@pytest.mark.parametrize("tool", [VERITAS, TREECF])
def test_an_interpreter_that_has_it_is_given_the_question(tmp_path: Path, tool: ModelTool) -> None:
    report = json.dumps({"verdict": "no", "row": [0.25], "seconds": 0.5, "cpu": 0.4, "is_nearest": True})
    given = peer(tool, stand_in(tmp_path, SAYS % report, "python"))
    assert given.ask is not None
    done = given.ask(TASK, tmp_path, Cancellation())
    assert (done.verdict, done.row, done.cpu, done.is_nearest, done.ended) == ("no", (0.25,), 0.4, True, False)
    seen = json.loads((tmp_path / f"{tool.module}.json.seen").read_text())
    assert seen["model"] == "m.json" and seen["low"] == [0.0] and seen["nearest"] is True


@pytest.mark.parametrize(
    ("said", "errors", "verdict", "ended", "note"),
    [
        ('{"verdict": "yes", "seconds": 1.0, "cpu": 1.0}', "", "yes", False, ""),
        ('{"verdict": "unknown", "seconds": 2.5, "cpu": 1.0, "why": "time"}', "", "unknown", True, "time"),
        ('{"verdict": "unknown", "seconds": 0.5, "cpu": 0.5}', "", "unknown", False, ""),
        ('{"verdict": "yes"}', "", "unknown", False, "its process ended: it said nothing"),
        ("", "MemoryError", "unknown", False, "its process ended: MemoryError"),
        ("[1]", "Aborted", "unknown", False, "its process ended: Aborted"),
    ],
)
def test_its_report_is_read_with_care(said: str, errors: str, verdict: str, ended: bool, note: str) -> None:
    done = judged(TASK, said, errors)
    assert (done.verdict, done.ended, done.note) == (verdict, ended, note)


def test_an_interpreter_that_cannot_import_it_is_refused(tmp_path: Path) -> None:
    broken = stand_in(tmp_path, "echo 'ModuleNotFoundError: No module named veritas' >&2; exit 1", "python")
    with pytest.raises(InputError, match="has no Veritas that can be used: ModuleNotFoundError"):
        peer(VERITAS, broken)
    with pytest.raises(InputError, match="there is no"):
        peer(VERITAS, tmp_path / "nowhere")


def test_who_is_not_installed_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    missing = peer(TREECF)
    assert missing.ask is None and "--treecf DIR/bin/python" in missing.remedy


def test_the_versions_are_those_of_the_dependency_groups() -> None:
    groups = tomllib.loads((Path(model_peer_tools.__file__).parents[3] / "pyproject.toml").read_text())[
        "dependency-groups"
    ]
    assert groups["veritas"] == [VERITAS.version] and groups["treecf"] == [TREECF.version]
