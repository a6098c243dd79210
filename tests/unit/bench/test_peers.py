"""The same questions put to others: in one run, each stopped in time, and what came of it said in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from soid.bench.peers import QUESTIONS, FreedGroup, Peer, PeerRow, Timed, measure
from soid.bench.peers_cbmc import cbmc
from soid.bench.peers_ratios import PeerRatio, PeerSpread, compared, ratio
from soid.budget import Cancellation
from soid.cli.bench import bench_peers as command
from soid.cli.command_line.bench_options import BenchPeersOptions
from soid.examples import folder
from tests.unit.bench.standing_in import report, stand_in


def told(_put: object, _limit: float, _cancel: Cancellation) -> Timed:
    return Timed("no", 1.0)


def test_others_are_run_in_the_same_run(tmp_path: Path) -> None:
    script = f"[ \"$1\" = --version ] && echo 6.6.0 && exit; echo '{report(the_behavior='FAILURE')}'"
    found: list[PeerRow] = []
    cancel = Cancellation()

    def once(words: str) -> None:
        if words.startswith("impatient"):
            cancel.cancel()

    peers = [cbmc(stand_in(tmp_path, script))[0], Peer("missing", None, "Install it.")]
    measure(folder("crash"), peers, 100.0, found, cancel, once, questions=QUESTIONS[:1])
    (row,) = found
    assert (row.driver, row.group, row.first.verdict, row.again.verdict) == ("standard", FreedGroup.SIGNAL, "no", "no")
    assert row.first.note == "" and row.first.seconds > 0 and row.again.seconds > 0
    assert {name: (each.verdict, each.ended) for name, each in row.peers.items()} == {"cbmc": ("no", False)}
    assert row.agrees


def test_a_ratio_needs_something_to_show_on_both_sides() -> None:
    soid = Timed("yes", 2.0)
    assert ratio(Timed("yes", 4.0), soid) == PeerRatio(2.0)
    assert ratio(Timed("unknown", 60.0, ended=True), soid) == PeerRatio(30.0, more=True)
    assert ratio(Timed("unknown", 4.0), soid) is None
    assert ratio(Timed("yes", 4.0), Timed("unknown", 60.0, ended=True)) is None


def test_a_median_is_exact_where_no_bound_could_move_it() -> None:
    spread = PeerSpread.of([PeerRatio(5.0, more=True), PeerRatio(1.0), PeerRatio(3.0), PeerRatio(2.0)])
    assert spread == PeerSpread(PeerRatio(1.0), PeerRatio(2.5), PeerRatio(5.0, more=True))
    spread = PeerSpread.of([PeerRatio(2.0, more=True), PeerRatio(1.0), PeerRatio(3.0), PeerRatio(4.0)])
    assert spread == PeerSpread(PeerRatio(1.0), PeerRatio(2.5, more=True), PeerRatio(4.0, more=True))
    assert PeerSpread.of([PeerRatio(7.0, more=True)]).least == PeerRatio(7.0, more=True)


def rows(**others: Timed) -> list[PeerRow]:
    return [
        PeerRow("standard", "would move if s", FreedGroup.SIGNAL, Timed("no", 1.0), Timed("no", 0.1), others),
        PeerRow("standard", "would move if f", FreedGroup.FRONTIER, Timed("no", 4.0), Timed("no", 2.0), others),
    ]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[PeerRow]:
    """Rows that are taken for measured."""
    measured: list[PeerRow] = []
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(command, "cbmc", lambda _: [Peer("cbmc", told)])
    monkeypatch.setattr(command, "angr", lambda _: Peer("angr", None, "Make room for it.", "angr 9 is broken"))
    monkeypatch.setattr(command, "measure", lambda *args: args[3].extend(measured))
    return measured


def test_who_contradicts_is_seen(given: list[PeerRow], capsys: pytest.CaptureFixture[str]) -> None:
    given += rows(cbmc=Timed("yes", 4.0, note="2 of its checks fail"))
    assert not given[0].agrees
    assert command.bench_peers(BenchPeersOptions(limit=5.0)) == 1
    said = capsys.readouterr().out
    assert "4.00 (yes: 2" in said and "of its checks" in said


def test_who_was_stopped_took_longer_than_that(given: list[PeerRow], capsys: pytest.CaptureFixture[str]) -> None:
    given += rows(cbmc=Timed("unknown", 60.02, ended=True))
    assert command.bench_peers(BenchPeersOptions()) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "stopped after 60 s" in said and "1 standard more than 60.0" in said and "2 standard more than 15.0" in said
    frontier = (
        "cbmc, any signal, and x, z and angle over the whole approach (1 row, 1 stopped): more than 15.0 times as long"
    )
    assert f"{frontier} as soid from nothing, more than 30.0 times as long as soid loaded." in said


def test_who_has_no_answer_is_not_compared(given: list[PeerRow], capsys: pytest.CaptureFixture[str]) -> None:
    given += rows(cbmc=Timed("unknown", 3.0, note="its report cannot be read"))
    assert command.bench_peers(BenchPeersOptions()) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "1 standard no answer" in said
    assert "cbmc, any signal (1 row, 1 without an answer): nothing to compare." in said


def test_who_is_missing_is_said(given: list[PeerRow], capsys: pytest.CaptureFixture[str]) -> None:
    given += rows(cbmc=Timed("no", 2.0))
    assert command.bench_peers(BenchPeersOptions(limit=5.0)) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "angr is not here (angr 9 is broken), so nothing is said of it. Make room for it." in said


def test_all_of_it_is_there_as_json(given: list[PeerRow], capsys: pytest.CaptureFixture[str]) -> None:
    given += rows(cbmc=Timed("no", 2.0))
    given += rows(cbmc=Timed("unknown", 5.0, ended=True))
    assert command.bench_peers(BenchPeersOptions(limit=5.0, as_json=True)) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["missing"] == [{"peer": "angr", "why": "angr 9 is broken", "remedy": "Make room for it."}]
    assert [row["group"] for row in said["rows"]] == ["signal", "frontier"] * 2
    assert said["rows"][2]["peers"]["cbmc"] == {"verdict": "unknown", "seconds": 5.0, "ended": True, "note": ""}
    signal, frontier = said["summary"]
    assert (signal["peer"], signal["group"], signal["rows"], signal["answered"], signal["stopped"]) == (
        "cbmc",
        "signal",
        2,
        1,
        1,
    )
    assert signal["first"] == {
        "least": {"times": 2.0, "more": False},
        "median": {"times": 3.5, "more": True},
        "most": {"times": 5.0, "more": True},
    }
    assert frontier["again"]["least"] == {"times": 1.0, "more": False}


def test_a_missing_tool_is_not_compared() -> None:
    assert list(compared([Peer("cbmc", None)], rows())) == []
