"""Facts about what is supposed until something: when it would have ended in fact is derived anew."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from soid.case.case import Case
from soid.case.facts import fact_of
from soid.case.record.entry import canonical
from soid.case.stored_answer import keep, recall
from soid.evidence.bundle import bundle
from soid.evidence.checks import CheckOutcome
from soid.evidence.verification_report import Standing
from tests.unit.evidence import forging
from tests.unit.evidence.test_verify import checked

PROGRAM = """
static int bad;
int decide(int gps, int pilot)
{
    bad = gps ? 0 : bad + 1;
    return bad >= 2 ? 3 : pilot;
}
"""
MANIFEST = """
[program]
engine = "llvm"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.jsonl"
keyframe = 0
[variables]
gps = { domain = [0, 1] }
pilot = { domain = [0, 2] }
"""
#: gps, pilot, bad before the step
STEPS = [(1, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 2)]
#: with gps, what is supposed ends in step 0, and the scenario is what happened
QUESTION = "would return == 3 within 3 steps if gps is anything until bad' == 0"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("until")
    project = place / "project"
    project.mkdir()
    (project / "p.c").write_text(PROGRAM)
    (project / "soid.toml").write_text(MANIFEST)
    lines = [json.dumps({"step": at, "gps": g, "pilot": p, "bad": bad}) for at, (g, p, bad) in enumerate(STEPS)]
    (project / "log.jsonl").write_text("\n".join(lines) + "\n")
    with Case.create(place / "a.case", project, who="ada") as case:
        answer = case.ask(QUESTION).answer
        assert answer.verdict.value == "yes" and answer.lasted == {"gps": 1}
        keyframe = case.project_at().keyframe
    return bundle(place / "a.case").data, keyframe


def test_they_are_proved_again(made, tmp_path):
    report = checked(made[0], tmp_path)
    assert [fact.standing for fact in report.facts] == [Standing.REPROVED]
    assert "when `until` ends in fact" in [check.about for check in report.facts[0].checks]


@pytest.mark.parametrize("lasted", [{}, {"gps": 2}, {"gps": 5}, [1]])
def test_another_end_is_contradicted(made, tmp_path, lasted):
    """The forger writes the fact anew as well. Then the family would contain the fact, or would lack a scenario."""
    data, keyframe = made
    number = forging.facts_in(data)[0]

    def change(payloads):
        payload = payloads[number - 1]
        if lasted == [1]:
            payload["answer"]["bits"]["lasted"] = lasted
            return
        answer = replace(recall(payload["answer"], keyframe), lasted=lasted)
        payload["answer"] = json.loads(canonical(keep(answer)))
        payload["fact"] = json.loads(canonical(fact_of(answer, keyframe)))

    report = checked(forging.sealed(forging.rewritten(data, change)), tmp_path)
    (fact,) = (each for each in report.facts if each.number == number)
    assert fact.standing is not Standing.REPROVED
    assert CheckOutcome.CONTRADICTED in [check.outcome for check in fact.checks]


def test_another_outcome_is_contradicted(made, tmp_path):
    data, keyframe = made
    (number,) = forging.facts_in(data)
    for forged in (forging.verdict_turned(data, number), forging.output_altered(data, number, keyframe)):
        assert checked(forged, tmp_path).worst is Standing.REFUTED
