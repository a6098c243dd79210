"""A scenario as files for others: as a program of its own if the engine can write one, and as a test for pytest.

If the engine cannot, or if the program does not decide in the scenario, the test asks soid again.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from soid.engine.protocol import RecordedRun
from soid.engine.summary import Decided
from soid.evidence.bundled_record import Recorded
from soid.evidence.derivation import Derivation, ExaminedMoment
from soid.witness.witness import Witness

TEST: Final = "test_witness.py"

_UP: Final = "../../project/"  # from a fact's folder to the project's files


def retell(
    recorded: Recorded, witness: Witness, derivation: Derivation, examined: ExaminedMoment, toml: str
) -> Mapping[str, bytes]:
    """The files by name; empty if the engine cannot write the scenario. `toml` is the manifest's path in the case."""
    if not isinstance(witness.ending, Decided):
        return {}
    run = RecordedRun(
        number=recorded.number,
        about=recorded.about,
        interface=examined.keyframe.interface,
        inputs=witness.inputs,
        outputs=(*witness.earlier, witness.outputs),
        environments=derivation.environments,
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
