"""Facts about a moment whose state is not logged: what follows is derived anew, the rest is proved for all values."""

from __future__ import annotations

import json

import pytest

from soid.case.case import Case
from soid.evidence.bundle import bundle
from soid.evidence.checks import CheckOutcome
from soid.evidence.verification_report import Standing
from tests.unit.evidence import forging
from tests.unit.evidence.test_verify import checked

PROGRAM = """
static int bad;
int decide(int gps, int pilot)
{
    if (gps < 4) bad = bad < 20 ? bad + 1 : 20; else bad = 0;
    return bad >= 3 ? pilot : 2 - pilot;
}
"""
MANIFEST = """
[program]
engine = "llvm"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.jsonl"
[variables]
gps = { domain = [0, 9] }
pilot = { domain = [0, 2] }
bad = { domain = [0, 20] }
"""
STEPS = [(2, 1), (2, 0), (5, 1), (2, 0)]
#: step, question, verdict
ASKED = [
    (0, "did return == 1", "yes"),
    (1, "did return == 2", "unknown"),
    (0, "might return == 2 if pilot is anything", "yes"),
    (0, "would return == 1 if pilot is anything", "no"),
    (0, "would return <= 2 if pilot is anything and gps is anything", "yes"),
    (0, "might return == 0 after 2 steps if gps is anything at step 0", "unknown"),
    (0, "might return == 2 if bad is anything", "no"),
    (1, "might return == 2 if bad is anything", "yes"),
    (3, "did return == 2", "yes"),
    (3, "would return == 2 if gps is anything", "yes"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> bytes:
    place = tmp_path_factory.mktemp("unlogged")
    project = place / "project"
    project.mkdir()
    (project / "p.c").write_text(PROGRAM)
    (project / "soid.toml").write_text(MANIFEST)
    steps = [json.dumps({"step": at, "gps": gps, "pilot": pilot}) for at, (gps, pilot) in enumerate(STEPS)]
    (project / "log.jsonl").write_text("\n".join(steps) + "\n")
    with Case.create(place / "a.case", project, who="ada") as case:
        given = [case.ask(question, step=step).answer for step, question, _ in ASKED]
        assert [answer.verdict.value for answer in given] == [verdict for *_, verdict in ASKED]
        depends = [answer for answer in given if answer.verdict.value == "unknown"]
        assert "it depends on bad, " in depends[0].reason and "yes up to 1, no from 2 on" in depends[0].reason
        assert all(answer.witness is not None and answer.contrast is not None for answer in depends)
        again = [case.recall(entry.number) for entry in case.entries if entry.answer is not None]
        assert [answer.document for answer in again] == [answer.document for answer in given]
    found = bundle(place / "a.case")
    assert found.refused == ()
    return found.data


def test_they_are_proved_again(made, tmp_path):
    report = checked(made, tmp_path)
    assert {fact.standing for fact in report.facts} == {Standing.REPROVED} and len(report.facts) == len(ASKED) - 2
    proved = [check.about for fact in report.facts for check in fact.checks]
    assert "everywhere.smt2" in proved and "what was not logged" in proved


@pytest.mark.parametrize("forgery", ["another value", "taken as known", "a scenario left out", "taken as logged"])
def test_a_record_that_takes_something_else_is_contradicted(made, tmp_path, forgery):
    """Opposing counsel's wish: the counter had another value, or one that the log does not give."""

    def change(payloads):
        for payload in payloads:
            bits = payload.get("answer", {}).get("bits", {})
            supplied = bits.get("supplied", {"derived": [], "assumed": []})
            if forgery == "another value":
                supplied["derived"] = [[path, "0x5", since] for path, _, since in supplied["derived"]]
            elif forgery == "taken as known" and supplied["assumed"]:
                supplied["derived"] = [[path, value, "step 0"] for path, value in supplied["assumed"]]
                supplied["assumed"] = []
            elif forgery == "taken as logged":
                supplied["assumed"] = []
            elif forgery == "a scenario left out" and len(bits.get("everywhere", ())) > 1:
                bits["everywhere"].pop()

    report = checked(forging.sealed(forging.rewritten(made, change)), tmp_path)
    outcomes = {fact.number: [check.outcome for check in fact.checks] for fact in report.facts}
    doubted = [fact for fact in report.facts if fact.standing is not Standing.REPROVED]
    assert doubted
    wanted = (
        {CheckOutcome.CONTRADICTED, CheckOutcome.OPEN} if forgery == "taken as known" else {CheckOutcome.CONTRADICTED}
    )
    assert all(wanted & set(outcomes[fact.number]) for fact in doubted)
