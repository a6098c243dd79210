"""The files of one fact: its formulas, what they show, which solver answered, and the scenario for others to run.

The scenario is a program of its own if the engine can write one, and a test for pytest. If the engine cannot, or if the
program does not decide in the scenario, the test asks soid again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from soid.documents import json_of
from soid.engine.protocol import RecordedRun
from soid.engine.summary import Decided
from soid.evidence import bundle_layout as layout
from soid.evidence import covers, obligations
from soid.evidence.bundled_record import Recorded
from soid.evidence.derivation import ExaminedMoment
from soid.evidence.fact_examination import Examination
from soid.solver.box_splitter import cover

FACT: Final = "fact.json"
WITNESS: Final = "witness.json"
TEST: Final = "test_witness.py"

_UP: Final = "../../project/"  # from a fact's folder to the project's files


def fact_files(
    found: Examination, examined: ExaminedMoment, toml: str, builds: Callable[[Mapping[str, bytes]], bool]
) -> dict[str, bytes]:
    """All files of a fact, by their names in its folder; `toml` is the manifest's path in the case.

    `builds` says whether the compiler accepts the program that retells the scenario.
    """
    inside = {file: text.encode() for file, text in found.scripts.items()}
    answered_by = {file: proof.solver for file, proof in found.proofs.items()}
    inside |= {name: layout.as_json(cover) for name, cover in _covers(found).items()}
    inside[FACT] = layout.as_json(fact(found, answered_by))
    inside[WITNESS] = layout.as_json(witness(found))
    retold = retell(found, examined, toml)
    return {**inside, **(retold if retold and builds(retold) else asked_again(found.recorded, toml))}


def _covers(found: Examination) -> dict[str, dict[str, Any]]:
    """Covers of the formulas that rest on one, and of those that a few boxes settle, if their checker accepts them."""
    assert found.derivation is not None
    made = {}
    for one in found.derivation.obligations:
        if one.cover is not None:
            made[one.cover_file] = dict(one.cover)
        elif one.name in obligations.PROOFS:
            boxes = cover(one.terms)
            shown = None if boxes is None else json_of(covers.CoverDocument.of(boxes))
            if shown is not None and not covers.recheck(shown, one.terms):
                made[one.cover_file] = shown
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
        **_origins(recorded),
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
    shown = {name: answer[name] for name in ("bits", "witness", "changed")}
    return {**shown, **_origins(found.recorded), "replay": found.replay}


def _origins(recorded: Recorded) -> dict[str, Any]:
    """Which inputs are derived and which are not known; answers kept by earlier versions do not say."""
    return {"origins": recorded.answer["origins"]} if "origins" in recorded.answer else {}


# --- the scenario for others to run ---------------------------------------------------------------------------


def retell(found: Examination, examined: ExaminedMoment, toml: str) -> Mapping[str, bytes]:
    """The files by name; empty if the engine cannot write the scenario. `toml` is the manifest's path in the case."""
    assert found.derivation is not None and found.answer is not None and found.answer.witness is not None
    witness = found.answer.witness
    if not isinstance(witness.ending, Decided) or found.answer.query.lives is not None:
        return {}
    interface = examined.keyframe.interface
    run = RecordedRun(
        number=found.recorded.number,
        about=found.recorded.about,
        interface=interface,
        inputs={variable.path: witness.inputs[variable.path] for variable in interface.inputs},
        outputs=(*witness.earlier, witness.outputs),
        between=witness.between,
        environments=found.derivation.environments,
        project=project_seen(toml),
    )
    return examined.engine.retold(run)


def project_seen(toml: str) -> PurePosixPath:
    """The manifest's folder, relative to the folder of a fact."""
    return PurePosixPath(_UP) / PurePosixPath(toml).parent


def asked_again(recorded: Recorded, toml: str) -> dict[str, bytes]:
    """A test that asks soid again, for an engine that cannot write the scenario as a program."""
    given = {
        "number": recorded.number,
        "project": _UP + toml,
        "log": _UP + recorded.log,
        "step": recorded.step,
        "question": recorded.question,
        "verdict": recorded.verdict,
    }
    return {TEST: _ASKED.format(**given).encode()}


_ASKED: Final = '''"""The question of entry {number}, put to the program again: the answer must be the one on record."""

from pathlib import Path

import pytest

soid = pytest.importorskip("soid")


def test_the_answer_is_the_one_on_record():
    here = Path(__file__).parent
    project = soid.Project.open(here / {project!r}, trace=here / {log!r}, step={step!r})
    assert project.ask({question!r}).verdict.value == {verdict!r}
'''
