"""Why a log and a learned model differ: CatBoost's JSON gives other last digits than the model that was saved."""

from __future__ import annotations

import math
from pathlib import Path

import catboost
import numpy as np
import pytest

from soid import Project
from soid.oracle.answer import Verdict
from soid.oracle.whole_log import LogComparison, LogVerdict

MANIFEST = '[program]\nengine = "model"\nmodel = "model.json"\n[trace]\nfile = "log.csv"\nempty = "missing"\n'


def project(folder: Path, off: dict[int, float], manifest: str = MANIFEST) -> Project:
    """A model and its log, in which some probabilities are other ones."""
    rows = np.random.default_rng(5).normal(size=(60, 2)).round(2)
    model = catboost.CatBoostClassifier(iterations=4, depth=2, verbose=0, thread_count=1, allow_writing_files=False)
    model.fit(rows, rows[:, 0] > rows[:, 1] / 2)
    model.save_model(str(folder / "model.json"), format="json")
    saved = catboost.CatBoostClassifier().load_model(str(folder / "model.json"), format="json")
    rows[7, 0] = math.nan  # told as missing
    logged = [off.get(at, p) for at, p in enumerate(saved.predict_proba(rows[:12])[:, 1].tolist())]
    lines = [f"{a!r},{b!r},{p!r}\n" for (a, b), p in zip(rows[:12].tolist(), logged, strict=True)]
    (folder / "log.csv").write_text("f0,f1,probability\n" + "".join(lines).replace("nan", ""))
    (folder / "soid.toml").write_text(manifest)
    return Project.open(folder / "soid.toml")


def checked(folder: Path, off: dict[int, float], manifest: str = MANIFEST) -> LogComparison:
    return project(folder, off, manifest).compare_log()


@pytest.fixture
def probability(tmp_path: Path) -> float:
    """Of the fourth row."""
    found = project(tmp_path, {}).at(3).keyframe
    return float(found.interface.variable("probability").amount(found.decisions["probability"]))


def test_other_last_digits_are_told_with_why_and_what_to_write(tmp_path: Path, probability: float) -> None:
    off = {3: math.nextafter(probability, 1)}
    found = checked(tmp_path, off)
    assert found.verdict is LogVerdict.DIFFERS and found.differs == 1
    likely = found.causes[0]
    assert (likely.cause, likely.explains) == ("last digits", True)
    assert "all 12 steps fit: CatBoost reads the decimals of a JSON file with errors" in likely.words
    line = '[variables] "probability" = { logged = { decimals = 15 } }'
    assert likely.words.endswith(line)
    table, entry = line.split(" ", 1)
    assert checked(tmp_path, off, f"{MANIFEST}{table}\n{entry}\n").verdict is LogVerdict.FITS
    answer = project(tmp_path, off).at(3).ask("did probability > 0.5")
    assert answer.verdict is Verdict.ERROR and "CatBoost reads the decimals" in str(answer.reason)


def test_other_digits_are_no_last_ones(tmp_path: Path, probability: float) -> None:
    off = {3: probability * (1 + 1e-8)}
    found = checked(tmp_path, off)
    assert [each.explains for each in found.causes if each.cause == "last digits"] == [False]
    answer = project(tmp_path, off).at(3).ask("did probability > 0.5")
    assert answer.verdict is Verdict.ERROR and "CatBoost reads" not in str(answer.reason)


def test_a_log_with_ten_decimals_is_a_rounded_one(tmp_path: Path) -> None:
    """As pandas writes JSON."""
    trace = project(tmp_path, {}).trace
    show = trace.interface.variable("probability").amount
    off = {at: round(float(show(step.decisions["probability"])), 10) for at, step in enumerate(trace)}
    found = checked(tmp_path, off)
    assert found.verdict is LogVerdict.DIFFERS
    likely = found.causes[0]
    assert (likely.cause, likely.explains) == ("rounding", True)
    line = '[variables] "probability" = { logged = { decimals = 10 } }'
    assert likely.words == f"with probability as rounded to 10 decimals, all 12 steps fit: {line}"
