"""Studies in a bundle are re-proved; a forged one is refuted, however well its hashes fit."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from soid.case.case import Case
from soid.case.record.entry import EntryKind
from soid.case.record.study_request import MapRequest, request_of
from soid.case.studies import causes_wanted, explanation_wanted, stated
from soid.evidence import bundle_layout, bundled_record
from soid.evidence.archive import unpack
from soid.evidence.bundle import bundle
from soid.evidence.checks import CheckOutcome
from soid.evidence.verification_report import CheckedStudy, Report, Standing, page
from soid.evidence.verify import verify
from soid.examples import folder
from soid.program.interface import Interface
from tests.unit.evidence import forging
from tests.unit.evidence.conftest import made_once
from tests.unit.explanation.test_causes import chained

OVER = "error is anything and closed is anything and heat is anything"
CAUSES, MAP, CHANGES, PROOF = 6, 7, 8, 9  # entries

Result = dict[str, Any]


def studied(place: Path) -> Path:
    file = place / "studied.case"
    with Case.create(file, folder("microwave"), title="A case", who="ada") as case:
        shown = case.ask(f"might action == CANCEL if {OVER}").entry
        proved = case.ask(f"would action == CANCEL if error == true and {OVER.partition(' and ')[2]}").entry
        at = case.project_at()
        agents = {"the cook": ("closed", "heat")}
        for wanted in (
            causes_wanted(at, "did action == CLOSE", OVER, agents=agents),
            MapRequest("error is anything and closed is anything", None, 256),
            explanation_wanted(shown),
            explanation_wanted(proved),
        ):
            case.study(wanted)
    return file


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    place = tmp_path_factory.mktemp("studied")

    def make() -> bytes:
        made = bundle(studied(place))
        assert made.refused == () and made.studies == (CAUSES, MAP, CHANGES, PROOF)
        return made.data

    return made_once("studied", tmp_path_factory, make)


def checked(data: bytes, place: Path) -> Report:
    file = place / "bundle.zip"
    file.write_bytes(data)
    return verify(file)


def of_study(report: Report, number: int) -> CheckedStudy:
    return next(study for study in report.studies if study.number == number)


def test_every_study_is_proved_again(whole: bytes, tmp_path: Path) -> None:
    report = checked(whole, tmp_path)
    assert [study.standing for study in report.studies] == [Standing.REPROVED] * 4
    assert report.status == 0 and report.summary == "2 facts: 2 re-proved; 4 studies: 4 re-proved"
    proved = [check for study in report.studies for check in study.checks if check.about.endswith(".smt2")]
    assert len(proved) >= 8 and all(check.words.startswith("unsat") for check in proved)
    assert "A study of the case: causes." in page(report)


# --- what opposing counsel may try: each changes a result, and the sentence is made to follow from it ------------


def _cause_taken_out(result: Result) -> None:
    gone = result["causes"].pop()
    for path in gone["variables"]:
        result["responsibility"][path] = 0.0


def _other_cause(result: Result) -> None:
    """The error light is blamed instead of the heater."""
    result["causes"][-1]["variables"] = ["error"]
    result["responsibility"] |= {"error": 1.0, "heat": 0.0}


def _cause_of_two(result: Result) -> None:
    first, second = result["causes"]
    first["variables"] = sorted([*first["variables"], *second["variables"]])
    first["but_for"] = False
    result["causes"] = [first]
    result["responsibility"] |= dict.fromkeys(first["variables"], 0.5)


def _degree(result: Result) -> None:
    result["responsibility"]["heat"] = 0.5


def _share(result: Result) -> None:
    result["shares"]["the cook"] = 0.25


def _scenario(result: Result) -> None:
    scenario = result["causes"][0]["scenario"]
    scenario["inputs"]["error"] = not scenario["inputs"]["error"]


def _outcome(result: Result) -> None:
    result["causes"][0]["happens"] = "fails"


def _did_not_happen(result: Result) -> None:
    result["happened"] = False


def _label_swapped(result: Result) -> None:
    one, other = result["regions"][:2]
    one["label"], other["label"] = other["label"], one["label"]


def _box_grown(result: Result) -> None:
    one, other = result["regions"][:2]
    one["boxes"] += other["boxes"]


def _box_moved(result: Result) -> None:
    one, other = result["regions"][:2]
    one["boxes"], other["boxes"] = [*one["boxes"], *other["boxes"]], []
    one["scenarios"] += other["scenarios"]
    result["regions"].remove(other)


def _count(result: Result) -> None:
    result["regions"][0]["scenarios"] += 1


def _fact_moved(result: Result) -> None:
    result["fact"]["values"][0] = not result["fact"]["values"][0]


def _smaller_set(result: Result) -> None:
    """The change set of one variable is said to be of another one."""
    told = result["mattered"]["sets"][0]
    told["variables"] = ["error" if told["variables"] != ["error"] else "heat"]


def _set_taken_out(result: Result) -> None:
    assert result["mattered"]["complete"]
    result["mattered"]["sets"] = result["mattered"]["sets"][:-1]


def _another_outcome(result: Result) -> None:
    result["mattered"]["happens"] = "fails"


def _flip_end(result: Result) -> None:
    flip = result["mattered"]["sets"][0]["flips"][0]
    flip["last"], flip["first"] = flip["first"], flip["last"]


def _parting(result: Result) -> None:
    result["mattered"]["sets"][0]["flips"][0]["parting"]["paths"] = ["nowhere", "everywhere"]


def _answer_s_scenario(result: Result) -> None:
    result["answer"]["witness"]["path"] = "another"


def _figure(result: Result) -> None:
    result["settled"] = 1


def _not_needed(result: Result) -> None:
    (need,) = result["proof"]["suppositions"]
    need["needed"] = False


def _another_question(result: Result) -> None:
    (need,) = result["proof"]["suppositions"]
    need["question"] = "would action == CANCEL if error == true and closed is anything"


def _irrelevant(result: Result) -> None:
    for each in result["proof"]["variables"]:
        each["irrelevant"] = True


def _answer(result: Result) -> None:
    result["answer"]["verdict"] = "no"


FORGERIES: dict[int, list[Callable[[Result], None]]] = {
    CAUSES: [
        *(_cause_taken_out, _other_cause, _cause_of_two, _degree),
        *(_share, _scenario, _outcome, _did_not_happen),
    ],
    MAP: [_label_swapped, _box_grown, _box_moved, _count, _fact_moved, _figure],
    CHANGES: [_smaller_set, _set_taken_out, _another_outcome, _flip_end, _parting, _answer_s_scenario],
    PROOF: [_not_needed, _another_question, _irrelevant, _answer],
}


@pytest.mark.parametrize("place", range(max(map(len, FORGERIES.values()))))
def test_a_forged_study_is_refuted(whole: bytes, tmp_path: Path, place: int) -> None:
    """One forgery of each study at a time."""
    forged = whole
    changed = {number: changes[place] for number, changes in FORGERIES.items() if place < len(changes)}
    for number, change in changed.items():
        forged = _forged(forged, number, change)
    report = checked(forged, tmp_path)
    assert report.status == 1
    for number, change in changed.items():
        study = of_study(report, number)
        against = [check for check in study.checks if check.outcome is CheckOutcome.CONTRADICTED]
        assert study.standing is Standing.REFUTED, change
        assert any(check.about not in ("the statement", "study.json") for check in against), (change, against)


def _forged(data: bytes, number: int, change: Callable[[Result], None], interface: Interface | None = None) -> bytes:
    """The record says so, its sentence follows, and the study's own file agrees."""
    interface = interface or _interface()

    def altered(payloads: forging.Payloads) -> None:
        payload = payloads[number - 1]
        before = deepcopy(payload["result"])
        change(payload["result"])
        assert payload["result"] != before
        entry = bundled_record.read_chain(unpack(data)[bundle_layout.CHAIN])[number - 1]
        wanted = request_of(entry.payload["wanted"])
        payload["statement"] = stated(wanted, payload["result"], interface)

    files = forging.rewritten(data, altered)
    name = bundle_layout.study_folder(number) + "study.json"
    told = bundle_layout.read_json(name, files[name])
    told["statement"] = bundled_record.read_chain(files[bundle_layout.CHAIN])[number - 1].payload["statement"]
    return forging.sealed(files | {name: bundle_layout.as_json(told)})


def _interface() -> Any:
    from soid.case.project import Project

    return Project.open(folder("microwave")).program.interface


def _only_the_hit(result: Result) -> None:
    """The hit alone is blamed: as if it had not followed from the throw."""
    del result["causes"][0]
    result["responsibility"]["s.suzy"] = 0.0


def _throw_with_a_hit_held(result: Result) -> None:
    result["causes"][0] |= {"held": ["s.hit_s == true at step 1"], "but_for": False}


@pytest.mark.parametrize("change", [_only_the_hit, _throw_with_a_hit_held])
def test_causes_that_follow_from_others_are_proved_again(change: Callable[[Result], None], tmp_path: Path) -> None:
    (tmp_path / "chain").mkdir()
    thrown = chained(tmp_path / "chain")
    with Case.create(tmp_path / "c.case", tmp_path / "chain", title="A case", who="ada") as case:
        at = case.project_at(0)
        over = "s.suzy is anything and s.hit_s is anything at step 1"
        number = case.study(causes_wanted(at, "did return after 3 steps", over), step=0).entry.number
    data = bundle(tmp_path / "c.case").data
    assert of_study(checked(data, tmp_path), number).standing is Standing.REPROVED
    forged = checked(_forged(data, number, change, thrown.program.interface), tmp_path)
    assert of_study(forged, number).standing is Standing.REFUTED


def test_a_statement_that_does_not_follow_is_refuted(whole: bytes, tmp_path: Path) -> None:
    def altered(payloads: forging.Payloads) -> None:
        payloads[CAUSES - 1]["statement"] += " It was the cook's fault."

    report = checked(forging.sealed(forging.rewritten(whole, altered)), tmp_path)
    assert of_study(report, CAUSES).standing is Standing.REFUTED


def test_a_result_of_another_shape_is_refuted_and_not_believed(whole: bytes, tmp_path: Path) -> None:
    def altered(payloads: forging.Payloads) -> None:
        for number in (CAUSES, MAP, CHANGES):
            payloads[number - 1]["result"] = {"causes": 3, "regions": None}

    report = checked(forging.sealed(forging.rewritten(whole, altered)), tmp_path)
    standings = [of_study(report, number).standing for number in (CAUSES, MAP, CHANGES)]
    assert standings == [Standing.REFUTED] * 3


def test_a_study_left_out_of_the_manifest_is_noticed(whole: bytes, tmp_path: Path) -> None:
    import json

    from soid.errors import BundleError
    from soid.evidence.archive import pack

    files = unpack(whole)
    manifest = json.loads(files[bundle_layout.MANIFEST])
    manifest["studies"] = [CAUSES]
    (tmp_path / "b.zip").write_bytes(pack(files | {bundle_layout.MANIFEST: bundle_layout.as_json(manifest)}))
    with pytest.raises(BundleError, match="studies is not what the chain says"):
        verify(tmp_path / "b.zip")


def test_what_an_explanation_rests_on_is_told_when_it_falls(tmp_path: Path) -> None:
    file = studied(tmp_path)
    with Case.open(file) as case:
        explained = next(e for e in case.entries if e.kind is EntryKind.ANSWERED)
        case.retract(explained.number, "the log was another one")
        assert [study.number for study in case.studies] == [CAUSES, MAP, PROOF]
    report = checked(bundle(file).data, tmp_path)
    assert {study.number for study in report.studies} == {CAUSES, MAP, PROOF}
    (told,) = [check for check in report.checks if check.about == f"entry {CHANGES}"]
    assert told.words == f"it rests on entry {explained.number}, which no longer counts"


@pytest.mark.parametrize("step", [2, 3])
def test_what_had_several_values_in_fact_counts_as_changed_whatever_it_is(tmp_path: Path, step: int) -> None:
    """The log has another door in the second step: one value in both steps is a change of it."""
    file = tmp_path / "steps.case"
    question = "might action == CANCEL after 2 steps as logged if error is anything and closed is anything"
    with Case.create(file, folder("microwave"), who="ada") as case:
        case.study(explanation_wanted(case.ask(question, step=step).entry))
    made = bundle(file)
    assert made.refused == () and len(made.studies) == 1
