"""The files of one fact: its formulas, what they show, which solver answered, and the scenario for others to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from soid.documents import json_of
from soid.evidence import bundle_layout, covers, obligations, scenario_export
from soid.evidence.derivation import ExaminedMoment
from soid.evidence.fact_examination import Examination
from soid.solver.box_splitter import cover

FACT: Final = "fact.json"
WITNESS: Final = "witness.json"
COVER: Final = ".cover.json"


def fact_files(
    found: Examination, examined: ExaminedMoment, toml: str, builds: Callable[[Mapping[str, bytes]], bool]
) -> dict[str, bytes]:
    """All files of a fact, by their names in its folder; `toml` is the manifest's path in the case.

    `builds` says whether the compiler accepts the program that retells the scenario.
    """
    assert found.derivation is not None and found.answer is not None and found.answer.witness is not None
    inside = {file: text.encode() for file, text in found.scripts.items()}
    answered_by = {file: proof.solver for file, proof in found.proofs.items()}
    inside |= {name: bundle_layout.as_json(cover) for name, cover in _covers(found).items()}
    inside[FACT] = bundle_layout.as_json(fact(found, answered_by))
    inside[WITNESS] = bundle_layout.as_json(witness(found))
    retold = scenario_export.retell(found.recorded, found.answer.witness, found.derivation, examined, toml)
    return {**inside, **(retold if retold and builds(retold) else scenario_export.asked_again(found.recorded, toml))}


def _covers(found: Examination) -> dict[str, dict[str, Any]]:
    """Covers of the formulas that a few boxes settle, if the checker of covers accepts them."""
    assert found.derivation is not None
    made = {}
    for one in found.derivation.obligations:
        if one.name in obligations.PROOFS:
            boxes = cover(one.terms)
            shown = None if boxes is None else json_of(covers.CoverDocument.of(boxes))
            if shown is not None and not covers.recheck(shown, one.terms):
                made[f"{one.name}{COVER}"] = shown
    return made


def fact(found: Examination, answered_by: Mapping[str, str]) -> dict[str, Any]:
    """The fact, and what each of its formulas shows."""
    recorded, derivation = found.recorded, found.derivation
    assert derivation is not None
    return {
        "entry": recorded.number,
        "question": recorded.answer["question"],
        "log": recorded.log,
        "step": recorded.step,
        "verdict": recorded.verdict,
        "statement": recorded.statement,
        "relies_on": recorded.answer["relies_on"],
        "formulas": [
            {
                "file": one.file,
                "proves": one.proves,
                "status": one.expected,
                "answered_by": answered_by.get(one.file, ""),
            }
            for one in derivation.obligations
        ],
    }


def witness(found: Examination) -> dict[str, Any]:
    """The scenario in bits and in words, and what the compiled program did there."""
    answer = found.recorded.answer
    return {name: answer[name] for name in ("bits", "witness", "changed")} | {"replay": found.replay}
