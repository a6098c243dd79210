"""A comparison of a log with the program, as a record has it: made again it is confirmed, and a false one is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from soid.case.case import Case
from soid.case.record.entry import EntryKind
from soid.evidence.bundle import bundle
from soid.evidence.checks import Check, CheckOutcome
from soid.evidence.verify import verify
from soid.oracle.whole_log import LogVerdict
from tests.unit.evidence import forging

PROGRAM = "static int n; int decide(int x) { n = x > 2 ? n + 1 : 0; return n > 2; }"
MANIFEST = """
[program]
engine = "llvm"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.jsonl"
from_start = true
"""
LEVELS = (3, 3, 3, 3, 1, 4, 4, 4, 2, 5)
GIVES = (0, 0, 1, 1, 0, 0, 0, 1, 0, 0)


def bundled(folder: Path, gives: tuple[int, ...] = GIVES) -> bytes:
    (folder / "p.c").write_text(PROGRAM)
    (folder / "soid.toml").write_text(MANIFEST)
    rows = [
        {"step": step, "x": x, **({"return": given} if step % 3 else {})}
        for step, (x, given) in enumerate(zip(LEVELS, gives, strict=True))
    ]
    (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with Case.create(folder / "a.case", folder, who="ada") as case:
        case.compare_log()
        case.ask("did return == 0")
    return bundle(folder / "a.case").data


@pytest.fixture(scope="module")
def fitting(tmp_path_factory) -> bytes:
    return bundled(tmp_path_factory.mktemp("fitting"))


def compared(data: bytes, place: Path) -> Check:
    (place / "b.zip").write_bytes(data)
    report = verify(place / "b.zip")
    (found,) = [check for check in report.checks if check.about.startswith("the comparison of entry")]
    assert (found.outcome is CheckOutcome.CONTRADICTED) == (report.status == 1)
    return found


def test_the_record_says_what_was_compared(tmp_path):
    bundled(tmp_path)
    with Case.open(tmp_path / "a.case") as case:
        (entry,) = [each for each in case.entries if each.kind is EntryKind.COMPARED]
        (log,) = [file for file in case.snapshot.files if file.path == entry.log]
    assert (entry.payload["verdict"], entry.payload["sha256"]) == ("fits", log.sha256)
    assert [each["name"] for each in entry.payload["result"]["state"]] == ["n"]


def test_a_comparison_is_made_again(fitting, tmp_path):
    found = compared(fitting, tmp_path)
    assert found.outcome is CheckOutcome.CONFIRMED and "10 of 10 steps fit" in found.words


def test_where_they_part_is_found_again(tmp_path):
    found = compared(bundled(tmp_path, (*GIVES[:4], 1, *GIVES[5:])), tmp_path)
    assert found.outcome is CheckOutcome.CONFIRMED and "the first that differs is step 4" in found.words


def test_a_false_verdict_is_contradicted(fitting, tmp_path):
    def change(payloads: forging.Payloads) -> None:
        payload = next(each for each in payloads if "result" in each)
        payload["result"] |= {"fits": 9, "differs": 1}
        payload["verdict"] = LogVerdict.DIFFERS.value

    found = compared(forging.sealed(forging.rewritten(fitting, change)), tmp_path)
    assert found.outcome is CheckOutcome.CONTRADICTED and "it fits here" in found.words


def test_a_false_decision_is_contradicted(fitting, tmp_path):
    def change(payloads: forging.Payloads) -> None:
        payload = next(each for each in payloads if "result" in each)
        payload["result"]["decisions"][0]["changes"][0]["value"] = 5

    found = compared(forging.sealed(forging.rewritten(fitting, change)), tmp_path)
    assert found.outcome is CheckOutcome.CONTRADICTED and "return was 0 at step 0" in found.words


def test_another_log_is_contradicted(fitting, tmp_path):
    def change(payloads: forging.Payloads) -> None:
        next(each for each in payloads if "result" in each)["sha256"] = "0" * 64

    assert compared(forging.sealed(forging.rewritten(fitting, change)), tmp_path).outcome is CheckOutcome.CONTRADICTED


def test_figures_without_their_verdict_are_contradicted(fitting, tmp_path):
    def change(payloads: forging.Payloads) -> None:
        next(each for each in payloads if "result" in each)["result"]["differs"] = 3

    found = compared(forging.sealed(forging.rewritten(fitting, change)), tmp_path)
    assert found.outcome is CheckOutcome.CONTRADICTED


def test_a_comparison_that_an_earlier_version_kept_is_made_again(fitting, tmp_path):
    """It has no `perceived`: inputs that are no state were listed with the state."""

    def change(payloads: forging.Payloads) -> None:
        result = next(each for each in payloads if "result" in each)["result"]
        del result["perceived"]
        result["state"].append({**result["state"][0], "name": "x"})

    found = compared(forging.sealed(forging.rewritten(fitting, change)), tmp_path)
    assert found.outcome is CheckOutcome.CONFIRMED
