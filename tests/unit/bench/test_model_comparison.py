"""Answers of several tools about a model: which can all be true, and which differ for a reason."""

from __future__ import annotations

import pytest

from soid.bench.model_comparison import compared_rows, crosses
from soid.bench.model_peers import ModelTask, ModelTimed

TASK = ModelTask("m.json", (0.0, 0.0), (-4.0, -4.0), (4.0, 4.0), positive=True, nearest=True, limit=1.0)
PROVED = ModelTimed("yes", 0.1, 0.1)


def row(*values: float, margin: float = -0.5, **claims: bool | float) -> ModelTimed:
    return ModelTimed("no", 0.1, 0.1, row=values, margin=margin, **claims)  # type: ignore[arg-type]


def test_a_row_that_the_library_confirms_refutes_a_proof() -> None:
    explained, contradicts = compared_rows(TASK, {"soid": PROVED, "other": row(1.0, 0.0)})
    assert not explained and contradicts == ("soid proves that there is no such row, other has one",)


@pytest.mark.parametrize("lost", [row(1.0, 0.0, margin=1e-7), row(5.0, 0.0)])
def test_a_row_that_shows_nothing_in_the_library_is_a_difference_of_floats(lost: ModelTimed) -> None:
    assert not crosses(TASK, lost)
    explained, contradicts = compared_rows(TASK, {"soid": PROVED, "other": lost})
    assert not contradicts and explained[0].startswith("the row of other has the score ")


def test_a_score_of_zero_is_on_the_side_of_the_first_class() -> None:
    assert crosses(TASK, row(1.0, 0.0, margin=0.0))
    other = ModelTask("m.json", (0.0, 0.0), (-4.0, -4.0), (4.0, 4.0), positive=False, nearest=False, limit=1.0)
    assert not crosses(other, row(1.0, 0.0, margin=0.0))


@pytest.mark.parametrize(
    ("name", "one", "found", "refuted"),
    [
        ("soid", row(1.0, 0.0, is_nearest=True), row(0.0, 3.0), True),  # the first feature can return
        ("soid", row(0.0, 3.0, is_nearest=True), row(1.0, 0.0), False),
        ("soid", row(0.0, 3.0, is_nearest=True), row(0.0, 2.0), True),
        ("soid", row(0.0, 3.0), row(0.0, 2.0), False),  # it did not say that none is nearer
        ("treecf", row(1.0, 1.0, is_nearest=True), row(0.0, 1.5), True),
        ("treecf", row(1.0, 1.0, is_nearest=True), row(0.0, 2.5), False),
        ("Veritas", row(1.0, 1.0, none_below=0.9), row(0.5, 0.5), True),
        ("Veritas", row(1.0, 1.0, none_below=0.9), row(0.95, 0.5), False),
    ],
)
def test_each_tool_is_held_to_its_own_sense_of_nearest(
    name: str, one: ModelTimed, found: ModelTimed, refuted: bool
) -> None:
    _, contradicts = compared_rows(TASK, {name: one, "another": found})
    assert contradicts == ((f"{name} proves that no row is nearer, another has one",) if refuted else ())
