"""What a manifest says of an application's decisions: a threshold, with a known bound or a guessed one."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.engine.learned.learned_frontend import LearnedFrontend
from soid.engine.learned.learned_source import OpenBound, Threshold
from soid.errors import ManifestError
from soid.program.toml_table import toml_of

GUESSED = "probability >= 0.4 guessed between 0.31 and 4.2e-1"


def read(decides: str, folder: Path) -> tuple[Threshold, ...]:
    (folder / "model.json").write_text("{}")
    text = f'[program]\nmodel = "model.json"\n[decisions]\napprove = "{decides}"\n[variables]\n'
    whole = toml_of(folder / "soid.toml", text)
    tables = {name: found for name in ("program", "decisions", "variables") if (found := whole.table(name)) is not None}
    return LearnedFrontend().read(tables, folder)[1].thresholds


def test_a_bound_is_known_unless_it_is_marked_as_guessed(tmp_path: Path) -> None:
    assert read("probability >= 0.4", tmp_path) == (Threshold("approve", "probability", ">=", "0.4"),)
    (guessed,) = read(GUESSED, tmp_path)
    assert guessed == Threshold("approve", "probability", ">=", "0.4", OpenBound("0.31", "4.2e-1"))
    assert str(guessed) == "approve = probability >= 0.4"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (GUESSED.replace(">= 0.4", ">= 0.3"), "0.3 is not between 0.31 and 4.2e-1"),
        (GUESSED.replace("0.31", "0.43"), "0.4 is not between 0.43 and 4.2e-1"),
        ("probability >= 0.4 guessed between 0.4 and 0.4", "is not between"),
        ("probability >= 0.4 guessed", "compares no number of the model"),
        ("probability >= 0.4 guessed between 0.3", "compares no number of the model"),
    ],
)
def test_a_guess_that_makes_no_sense_is_refused(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=why):
        read(text, tmp_path)
