"""Tiny models, trained with the real libraries, and what soid's readers would say of them."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from soid.engine.learned.model import Above, ClassRule, LearnedModel, ModelFeature, NamedNumber

PROBABILITY: Final = (NamedNumber("probability", "probability"),)
NUMBERS: Final = (ModelFeature("a"), ModelFeature("b"), ModelFeature("c"))
COLOURS: Final = (("blue", 0), ("green", 1), ("red", 2))
MIXED: Final = (ModelFeature("a"), ModelFeature("b"), ModelFeature("colour", "category", COLOURS))
ROWS: Final[list[list[float | str | None]]] = [
    [0.25, -1.0, "red"],
    [-0.0, 5e-324, "blue"],
    [float("nan"), 2.0, "green"],
    [-3.5, 1e30, "red"],
]


def model_of(library: str, features: tuple[ModelFeature, ...], *classes: str, **named: Any) -> LearnedModel:
    """A model as its reader describes it, without what only a proof needs."""
    label = ClassRule(classes, Above("probability", 0.5)) if classes else None
    return LearnedModel(library, named.pop("version", ""), "small", features, label=label, outputs=PROBABILITY, **named)


@cache
def data() -> tuple[Any, Any]:
    """Rows of two numbers and the code of a colour, and which of two classes each has."""
    draw = np.random.default_rng(7)
    rows = draw.normal(size=(120, 3))
    rows[:, 2] = draw.integers(0, 3, 120)
    return rows, (rows[:, 0] + (rows[:, 2] == 1) > 0.3).astype(int)


def coded(rows: list[list[float | str | None]]) -> Any:
    codes: dict[Any, Any] = {**dict(COLOURS), None: float("nan")}
    return np.array([[codes[cell] if cell is None or isinstance(cell, str) else cell for cell in row] for row in rows])
