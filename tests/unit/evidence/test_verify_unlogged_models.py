"""Bundles about a model with an input that is not known: scenarios for each of its values, with bounds; forged too."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from soid.case.project import Project
from soid.evidence import bundle_layout
from soid.evidence.archive import unpack
from soid.evidence.checks import CheckOutcome
from soid.evidence.verification_report import Standing
from soid.oracle.inquiry import Settings
from soid.oracle.reason import ReasonCode
from tests.unit.evidence import forging
from tests.unit.evidence.conftest import bundled, lender_project, made_once
from tests.unit.evidence.test_verify import checked
from tests.unit.evidence.test_verify_models import noted, removed, tightened

QUESTIONS = ("did decision == class_1", "might decision == class_0 if income is anything")
COVER = "everywhere.cover.json"


def unlogged_project(place: Path) -> Path:
    """The age is not logged, and what the model gave is logged rounded."""
    import xgboost

    project = lender_project(place)
    variables = "[variables]\nage = { domain = [18.0, 99.0] }\nprobability = { logged = { decimals = 2 } }\n"
    (project / "soid.toml").write_text((project / "soid.toml").read_text() + variables)
    booster = xgboost.Booster(model_file=project / "model.json")
    row = xgboost.DMatrix(
        [[55.5, 38.25, 1.0]], feature_names=booster.feature_names, feature_types=booster.feature_types
    )
    (project / "log.csv").write_text(f"step,income,age,town,probability\n0,55.5,,1,{booster.predict(row)[0]:.2f}\n")
    return project


@pytest.fixture(scope="module")
def unlogged(tmp_path_factory) -> bytes:
    place = tmp_path_factory.mktemp("unlogged")
    return made_once("unlogged", tmp_path_factory, lambda: bundled(place, unlogged_project(place / "p"), QUESTIONS))


def test_what_holds_for_every_unknown_value_is_proved_again(unlogged, tmp_path):
    report = checked(unlogged, tmp_path)
    assert [fact.standing for fact in report.facts] == [Standing.REPROVED] * len(QUESTIONS)
    shown = report.facts[1]
    assert noted(shown, "the bounds in everywhere.smt2")[0] is CheckOutcome.CONFIRMED
    assert noted(shown, COVER)[0] is CheckOutcome.CONFIRMED
    told = json.loads(unpack(unlogged)[bundle_layout.folder(shown.number) + COVER])
    assert [each["name"] for each in told["variables"]] == ["age"]
    assert "score of step 1 in scenario 1" in told["numbers"]


def of_scenario(data: bytes) -> str:
    return bundle_layout.folder(forging.facts_in(data)[1])


def with_cover(change: Callable[[dict[str, Any]], None]) -> Callable[[bytes], bytes]:
    def forged(data: bytes) -> bytes:
        files, name = unpack(data), of_scenario(data) + COVER
        cover = json.loads(files[name])
        change(cover)
        return forging.sealed(files | {name: bundle_layout.as_json(cover)})

    return forged


def without(file: str) -> Callable[[bytes], bytes]:
    def forged(data: bytes) -> bytes:
        name = of_scenario(data) + file
        return forging.sealed({each: content for each, content in unpack(data).items() if each != name})

    return forged


def with_scenarios(change: Callable[[list[Any]], list[Any]]) -> Callable[[bytes], bytes]:
    """The record says that other scenarios show it for every value."""

    def forged(data: bytes) -> bytes:
        number = forging.facts_in(data)[1]

        def rewrite(payloads: forging.Payloads) -> None:
            bits = payloads[number - 1]["answer"]["bits"]
            bits["everywhere"] = change(bits["everywhere"])

        files = forging.rewritten(data, rewrite)
        name = bundle_layout.folder(number) + "witness.json"
        told = json.loads(files[name])
        told["bits"]["everywhere"] = change(told["bits"]["everywhere"])
        return forging.sealed(files | {name: bundle_layout.as_json(told)})

    return forged


def in_fact(scenarios: list[Any]) -> list[Any]:
    """The income is as logged, with which the model decides otherwise."""
    return [[["income", "0x404bc00000000000"]] for _ in scenarios]


@pytest.mark.parametrize(
    "forge",
    [
        with_cover(tightened),
        with_cover(removed),
        without("everywhere.smt2"),
        with_scenarios(lambda _: []),
        with_scenarios(in_fact),
        lambda data: forging.verdict_turned(data, forging.facts_in(data)[1]),
    ],
)
def test_a_forged_proof_for_every_unknown_value_is_refuted(forge, unlogged, tmp_path):
    report = checked(forge(unlogged), tmp_path)
    fact, scenario = report.facts
    assert (fact.standing, scenario.standing) == (Standing.REPROVED, Standing.REFUTED)


def test_what_was_rounded_in_fact_is_not_known_beside_an_unknown_input(tmp_path):
    project = Project.open(unlogged_project(tmp_path / "p"), settings=Settings(replay="off"))
    assert project.ask("did probability == fact(probability)").why.code is ReasonCode.FACT_ASSUMED
    project.solver.close()
