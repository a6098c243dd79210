"""What an answer states of all scenarios, besides the one that it shows, is proved again: no record is believed."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from soid.case.facts import fact_of
from soid.case.project import Project
from soid.case.record.entry import canonical
from soid.case.stored_answer import keep, recall
from soid.evidence import bundle_layout
from soid.evidence.archive import unpack
from soid.evidence.checks import CheckOutcome
from soid.evidence.verification_report import CheckedFact, Standing
from soid.examples import folder
from soid.oracle import inquiry
from soid.oracle.answer import Verdict
from soid.oracle.reason import ReasonCode, VerdictReason
from tests.unit.evidence import forging
from tests.unit.evidence.conftest import bundled
from tests.unit.evidence.test_verify import checked

EVERYWHERE = (
    "would action == CLOSE if heat == false and started is anything",
    "might action == CANCEL if heat == false and started is anything",
)
SOMEWHERE = (
    "would action == CANCEL if heat is anything and started is anything",
    "might action == CANCEL if heat is anything and started is anything",
)

#: to be answered by runs of all scenarios, each of which shows the same
RUN = (
    "would assessment.risk == HIGH if patient.age in {20.0, 21.0, 22.0}",
    "might assessment.risk == LOW if patient.age in {20.0, 21.0, 22.0}",
)


def files_of(fact: CheckedFact) -> set[str]:
    return {check.about for check in fact.checks}


def test_what_is_so_in_all_scenarios_is_proved_again_beside_the_scenario(tmp_path):
    report = checked(bundled(tmp_path, folder("microwave"), EVERYWHERE), tmp_path)
    assert [fact.standing for fact in report.facts] == [Standing.REPROVED] * 2
    told = [fact.statement.partition(",")[0] for fact in report.facts]
    assert told == ["It would never close the door", "It would always cancel"]
    for fact in report.facts:
        assert {"explored.smt2", "complete.smt2", "scenario.smt2", "outcome.smt2", "the run"} <= files_of(fact)


def test_what_one_scenario_shows_alone_needs_no_proof(tmp_path):
    report = checked(bundled(tmp_path, folder("microwave"), SOMEWHERE), tmp_path)
    assert [fact.standing for fact in report.facts] == [Standing.REPROVED] * 2
    assert not any("explored.smt2" in files_of(fact) for fact in report.facts)


def claimed(data: bytes, number: int, throughout: VerdictReason | None) -> bytes:
    """The answer says of all scenarios what its scenario shows, or no longer does; the fact follows."""
    keyframe = Project.open(folder("microwave")).keyframe

    def change(payloads: forging.Payloads) -> None:
        payload = payloads[number - 1]
        answer = recall(payload["answer"], keyframe)
        answer = replace(answer, throughout=throughout)
        payload["answer"] = json.loads(canonical(keep(answer)))
        payload["fact"] = json.loads(canonical(fact_of(answer, keyframe)))

    files = forging.rewritten(data, change)
    folder_of, entry = bundle_layout.folder(number), json.loads(files[bundle_layout.CHAIN].splitlines()[number - 1])
    recorded = json.loads(entry["payload"])
    for name, told in (
        ("witness.json", {part: recorded["answer"][part] for part in ("bits", "witness", "changed")}),
        ("fact.json", {"statement": recorded["fact"]["statement"]}),
    ):
        files[folder_of + name] = bundle_layout.as_json(json.loads(files[folder_of + name]) | told)
    return forging.sealed(files)


@pytest.mark.parametrize("which", range(2))
def test_what_is_so_in_some_scenarios_is_not_believed_to_be_so_in_all(which, tmp_path):
    data = bundled(tmp_path, folder("microwave"), SOMEWHERE)
    number, code = forging.facts_in(data)[which], (ReasonCode.NEVER, ReasonCode.ALWAYS)[which]
    report = checked(claimed(data, number, VerdictReason(code)), tmp_path)
    fact = next(fact for fact in report.facts if fact.number == number)
    assert fact.standing is Standing.REFUTED
    found = {check.about: check for check in fact.checks if check.outcome is CheckOutcome.CONTRADICTED}
    assert found["explored.smt2"].words.startswith("sat (")


@pytest.mark.parametrize("code", [ReasonCode.FAILS, ReasonCode.ALWAYS])
def test_another_sentence_about_all_scenarios_is_refuted(code, tmp_path):
    data = bundled(tmp_path, folder("microwave"), EVERYWHERE[:1])
    (number,) = forging.facts_in(data)
    (fact,) = checked(claimed(data, number, VerdictReason(code)), tmp_path).facts
    assert fact.standing is Standing.REFUTED


def test_a_weaker_statement_is_not_what_the_formulas_in_the_bundle_show(tmp_path):
    """It is true, and the bundle has formulas that nothing in the record asks for."""
    data = bundled(tmp_path, folder("microwave"), EVERYWHERE[:1])
    (number,) = forging.facts_in(data)
    (fact,) = checked(claimed(data, number, None), tmp_path).facts
    assert fact.standing is not Standing.REPROVED


@pytest.mark.parametrize("which", range(2))
def test_a_weakened_proof_of_it_is_refuted(which, tmp_path):
    data = bundled(tmp_path, folder("microwave"), EVERYWHERE)
    number = forging.facts_in(data)[which]
    for name in ("explored.smt2", "complete.smt2"):
        forged = forging.formula_weakened(data, bundle_layout.folder(number) + name)
        fact = next(fact for fact in checked(forged, tmp_path).facts if fact.number == number)
        assert fact.standing is Standing.REFUTED


def test_what_runs_of_all_scenarios_show_is_run_again(tmp_path, monkeypatch):
    monkeypatch.setattr(inquiry, "BRIEFLY", 0.0)
    monkeypatch.setenv("SOID_CACHE", str(tmp_path / "cache"))
    data = bundled(tmp_path, folder("diabetes"), RUN)
    monkeypatch.undo()
    answers = [json.loads(line)["payload"] for line in unpack(data)[bundle_layout.CHAIN].splitlines()]
    found = [json.loads(each)["answer"] for each in answers if '"answer"' in each]
    assert [(each["verdict"], each["throughout"]) for each in found] == [
        (Verdict.NO.value, "never_by_runs"),
        (Verdict.YES.value, "always_by_runs"),
    ]
    assert [fact.standing for fact in checked(data, tmp_path).facts] == [Standing.REPROVED] * 2
