"""cbmc as a peer: its reports are read with care, and its checks are no verdict."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from soid.bench.peers_cbmc import cbmc, judged
from soid.budget import Cancellation
from soid.errors import InputError
from soid.query.query import QueryKind
from tests.unit.bench.standing_in import put, report, stand_in


@pytest.mark.parametrize(
    ("said", "expected", "note"),
    [
        (report(the_behavior="SUCCESS"), "yes", ""),
        (report(the_behavior="FAILURE"), "no", ""),
        (report(the_behavior="FAILURE", unwind="FAILURE"), "no", ""),
        (report(the_behavior="SUCCESS", unwind="SUCCESS"), "yes", ""),
        (report(the_behavior="SUCCESS", unwind="FAILURE"), "unknown", ""),  # a loop went round more often
        (report(the_behavior="SUCCESS", unwind="UNKNOWN"), "unknown", ""),
        (report(the_behavior="SUCCESS", never_heard_of="FAILURE"), "unknown", ""),
        (report(the_behavior="SUCCESS", overflow="FAILURE"), "yes", "1 of its checks fail"),
        (report(the_behavior="FAILURE", overflow="FAILURE", array_bounds="FAILURE"), "no", "2 of its checks fail"),
        (report(the_behavior="SUCCESS", overflow="FAILURE", unwind="FAILURE"), "unknown", "1 of its checks fail"),
        (report(overflow="FAILURE"), "unknown", "1 of its checks fail"),
        (report(the_behavior="UNKNOWN"), "unknown", ""),
        (report(something_else="SUCCESS"), "unknown", ""),
        ("Segmentation fault", "unknown", "its report cannot be read"),
        ("{}", "unknown", ""),
    ],
)
def test_a_report_is_a_verdict_only_where_it_is_about_the_behavior(said: str, expected: str, note: str) -> None:
    assert judged(QueryKind.WOULD, said) == (expected, note)


@pytest.mark.parametrize(
    ("version", "alone", "checked"),
    [("6.6.0", ["--no-standard-checks", "--unwind"], ["--unwind"]), ("5.95.1", ["--unwind"], ["--bounds-check"])],
)
def test_it_is_asked_twice_with_and_without_its_checks(
    tmp_path: Path, version: str, alone: list[str], checked: list[str]
) -> None:
    command = stand_in(tmp_path, f'[ "$1" = --version ] && echo {version} && exit; echo "$@" >> {tmp_path}/asked; exit')
    for peer in cbmc(command):
        assert peer.ask is not None
        assert peer.ask(put(tmp_path), 100.0, Cancellation()).verdict == "unknown"
    first, second = (line.split() for line in (tmp_path / "asked").read_text().splitlines())
    assert first[: len(alone)] == alone and second[: len(checked)] == checked
    for words in (first, second):
        assert "--unwinding-assertions" in words and "-DDRIVER_STANDARD" in words


def test_a_cbmc_that_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="there is no"):
        cbmc(tmp_path / "cbmc")
    (tmp_path / "text").write_text("no program")
    with pytest.raises(InputError, match="cannot be started"):
        cbmc(tmp_path / "text")
    monkeypatch.setitem(os.environ, "PATH", str(tmp_path))
    assert [(peer.name, peer.is_here) for peer in cbmc()] == [("cbmc", False), ("cbmc with checks", False)]
