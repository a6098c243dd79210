"""Bundles about learned models: proved again with other code than the engine's, and run in the model's library."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from soid.case.project import Project
from soid.evidence import bundle_layout, derivation
from soid.evidence.archive import unpack
from soid.evidence.checks import CheckOutcome
from soid.evidence.fact_files import TEST
from soid.evidence.verification_report import CheckedFact, Standing
from soid.witness.witness import Witness
from tests.e2e.test_numbers_between import made_project
from tests.unit.evidence import forging
from tests.unit.evidence.conftest import LENDER, bundled, lender_project
from tests.unit.evidence.test_fact_files import laid_out
from tests.unit.evidence.test_verify import checked, of_fact

COVER = "explored.cover.json"


def noted(fact: CheckedFact, about: str) -> tuple[CheckOutcome, str]:
    return next((check.outcome, check.words) for check in fact.checks if check.about == about)


def test_every_fact_about_a_model_is_proved_again(lender, tmp_path):
    report = checked(lender, tmp_path)
    assert [fact.standing for fact in report.facts] == [Standing.REPROVED] * len(LENDER)
    proof, scenario = report.facts
    assert noted(proof, "the bounds in explored.smt2")[0] is CheckOutcome.CONFIRMED
    assert "(cvc5)" in noted(proof, "explored.smt2")[1]
    for fact in (proof, scenario):
        assert noted(fact, "the evaluation")[0] is CheckOutcome.CONFIRMED
        assert noted(fact, "the run")[1].startswith("by running the model in xgboost")
    assert any("a learned model, gradient-boosted trees" in check.words for check in report.checks)


def test_a_bundle_holds_the_model_and_says_what_it_is(lender):
    files = unpack(lender)
    model = files["project/lender/model.json"]
    told = json.loads(files[bundle_layout.BUILD])
    assert told["library"] == "xgboost" and told["family"].startswith("gradient-boosted trees")
    assert told["model"] == hashlib.sha256(model).hexdigest() and told["version"]
    cover = json.loads(files[bundle_layout.folder(forging.facts_in(lender)[0]) + COVER])
    assert cover["numbers"] == ["score of step 1", "probability of step 1"]
    assert len(cover["bounds"]) == len(cover["boxes"]) > 2


def cover_changed(data: bytes, change: Callable[[dict[str, Any]], None], number: int | None = None) -> bytes:
    """The bundle with another cover of a fact; without a number of the first."""
    files = unpack(data)
    name = bundle_layout.folder(number or forging.facts_in(data)[0]) + COVER
    cover = json.loads(files[name])
    change(cover)
    return forging.sealed(files | {name: bundle_layout.as_json(cover)})


def bounded_box(cover: dict[str, Any]) -> int:
    return next(place for place, bounds in enumerate(cover["bounds"]) if None not in bounds)


def shifted(cover: dict[str, Any]) -> None:
    cover["boxes"][bounded_box(cover)][0][0] -= 1


def tightened(cover: dict[str, Any]) -> None:
    bounds = cover["bounds"][bounded_box(cover)][0]
    bounds[0] = bounds[1] = bounds[1] + 1


def removed(cover: dict[str, Any]) -> None:
    place = bounded_box(cover)
    del cover["boxes"][place], cover["bounds"][place]


@pytest.mark.parametrize(
    ("change", "why"),
    [(shifted, "leaves states out"), (tightened, "wrong bound"), (removed, "leaves states out")],
)
def test_a_cover_that_was_changed_refutes_its_fact(change, why, lender, tmp_path):
    report = checked(cover_changed(lender, change), tmp_path)
    proof, scenario = report.facts
    assert (proof.standing, scenario.standing) == (Standing.REFUTED, Standing.REPROVED)
    outcome, words = noted(proof, COVER)
    assert outcome is CheckOutcome.CONTRADICTED and why in words


def test_a_cover_that_was_left_out_is_missed(lender, tmp_path):
    number = forging.facts_in(lender)[0]
    name = bundle_layout.folder(number) + COVER
    forged = forging.sealed({file: data for file, data in unpack(lender).items() if file != name})
    report = checked(forged, tmp_path)
    assert of_fact(report, number) is Standing.REFUTED
    assert noted(report.facts[0], COVER) == (CheckOutcome.CONTRADICTED, "it is missing")


def test_another_cover_may_prove_the_same(lender, tmp_path, monkeypatch):
    """Another version of soid may cut other boxes: those in the bundle are then checked for themselves."""

    def halved(cover: dict[str, Any]) -> None:
        place = bounded_box(cover)
        low, high = cover["boxes"][place][0]
        middle = (low + high) // 2
        cover["boxes"].append([[middle + 1, high], *cover["boxes"][place][1:]])
        cover["boxes"][place][0] = [low, middle]
        cover["bounds"].append(cover["bounds"][place])

    files = unpack(cover_changed(lender, halved))
    folder = bundle_layout.folder(forging.facts_in(lender)[0])
    cover = json.loads(files[folder + COVER])
    made = derivation.bounded
    monkeypatch.setattr(derivation, "bounded", lambda one, _: made(one, cover))
    honest = bundled(tmp_path, lender_project(tmp_path / "lender"), LENDER)
    monkeypatch.undo()
    report = checked(honest, tmp_path)
    assert [fact.standing for fact in report.facts] == [Standing.REPROVED] * len(LENDER)
    assert "some condition holds nowhere" in noted(report.facts[0], COVER)[1]


def test_a_leaf_that_was_changed_does_not_bear_the_facts_out(lender, tmp_path):
    path = "lender/model.json"
    model = json.loads(unpack(lender)[bundle_layout.PROJECT + path])
    tree = model["learner"]["gradient_booster"]["model"]["trees"][0]
    leaves = [left < 0 for left in tree["left_children"]]
    pairs = zip(tree["split_conditions"], leaves, strict=True)
    tree["split_conditions"] = [value - is_leaf for value, is_leaf in pairs]  # of a leaf: what it adds
    forged = forging.source_changed(
        lender, path, unpack(lender)[bundle_layout.PROJECT + path], json.dumps(model).encode()
    )
    files = unpack(forged)
    build = json.loads(files[bundle_layout.BUILD])
    build["model"] = hashlib.sha256(files[bundle_layout.PROJECT + path]).hexdigest()
    report = checked(forging.sealed(files | {bundle_layout.BUILD: bundle_layout.as_json(build)}), tmp_path)
    assert {fact.standing for fact in report.facts} == {Standing.REFUTED}
    assert noted(report.facts[0], COVER)[0] is CheckOutcome.CONTRADICTED


@pytest.mark.parametrize("which", [0, 1])
def test_another_verdict_is_refuted(which, lender, tmp_path):
    number = forging.facts_in(lender)[which]
    report = checked(forging.verdict_turned(lender, number), tmp_path)
    assert of_fact(report, number) is Standing.REFUTED


def test_a_proof_of_too_many_boxes_is_searched_again(lender, tmp_path, monkeypatch):
    """Then no other code has checked it, which the report says."""
    monkeypatch.setattr(derivation, "MOST_BOXES", 1)
    data = bundled(tmp_path, lender_project(tmp_path / "lender"), LENDER[:1])
    files = unpack(data)
    folder = bundle_layout.folder(forging.facts_in(data)[0])
    assert folder + COVER not in files
    assert b"soid searches them" in files[folder + "explored.smt2"]
    assert b":status" not in files[folder + "explored.smt2"]
    report = checked(data, tmp_path)
    assert report.facts[0].standing is Standing.REEXPLORED
    assert noted(report.facts[0], "explored.smt2")[0] is CheckOutcome.OPEN


def test_the_scenario_is_a_test_in_the_models_library(lender, tmp_path):
    folder = laid_out(lender, tmp_path) / bundle_layout.folder(forging.facts_in(lender)[1])
    told = (folder / TEST).read_text()
    assert "soid" not in told.replace("soid evidence for entry", "")

    def run(text: str) -> None:
        namespace: dict[str, Any] = {"__file__": str(folder / TEST)}
        exec(compile(text, TEST, "exec"), namespace)
        namespace["test_the_library_gives_what_is_on_record"]()

    run(told)
    with pytest.raises(AssertionError):
        run(told.replace("'score': '", "'score': '-").replace("'--", "'"))


def test_other_ends_of_a_number_are_refuted(tmp_path):
    """A number that is known between two ends: the record says that it is known more exactly."""
    data = bundled(tmp_path, made_project(tmp_path / "line"), ("would value < 1 if 0 <= f0 <= 2",))
    assert checked(data, tmp_path).facts[0].standing is Standing.REPROVED
    number = forging.facts_in(data)[0]

    def narrowed(witness: Witness) -> Witness:
        (ends,) = witness.between
        return replace(witness, between=({"value": (ends["value"][0] + 1, ends["value"][1])},))

    keyframe = Project.open(tmp_path / "line").keyframe
    report = checked(forging.with_witness(data, number, keyframe, narrowed), tmp_path)
    assert report.facts[0].standing is Standing.REFUTED
    assert noted(report.facts[0], "the outcome")[0] is CheckOutcome.CONTRADICTED
