"""The printed tables of the paper: the verdicts of its tool, and the seconds on its authors' machine.

Seconds are averages of ten runs on an Intel Xeon E5-2650 v3 at 2.30 GHz with 64 GB. `symbolic` and `solving` do not
quite add up to `total`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from msgspec import Struct


@final
class PaperRow(Struct, frozen=True):
    """One line of a table."""

    model: str  # which of the learned programs
    verdict: str
    symbolic: float  # s, of symbolic execution
    solving: float  # s, of solving the final formula
    total: float  # s
    paths: int  # feasible ones


@final
class PaperQuestion(Struct, frozen=True):
    """A heading of a table, and the lines below it."""

    heading: str
    label: str  # the heading in few words
    number: int  # of the question in the example's manifest, from 0
    rows: tuple[PaperRow, ...]


@final
class PaperTable(Struct, frozen=True):
    """A table."""

    number: int
    title: str
    example: str  # the example of soid that rebuilds it
    questions: tuple[PaperQuestion, ...]

    def __iter__(self) -> Iterator[tuple[PaperQuestion, PaperRow]]:
        return ((question, row) for question in self.questions for row in question.rows)


def _asked(number: int, heading: str, label: str, *rows: tuple[str, float, float, float, int]) -> PaperQuestion:
    """A question of Table 1, with a row for each driver."""
    drivers = ("standard", "impatient", "pathological")
    return PaperQuestion(heading, label, number, tuple(map(PaperRow, drivers, *zip(*rows, strict=True))))


TABLE_1: Final = PaperTable(
    1,
    "three cars on the stand",
    "crash",
    (
        _asked(
            0,
            "moved?",
            "moved?",
            ("yes", 3.575, 4.290e-03, 4.162, 1),
            ("yes", 3.607, 4.317e-03, 4.193, 1),
            ("yes", 3.626, 4.249e-03, 4.212, 1),
        ),
        _asked(
            1,
            "any signal of the other car: always move?",
            "signal: always?",
            ("no", 3.979, 2.371, 7.754, 3),
            ("yes", 4.001, 2.307, 7.703, 3),
            ("yes", 3.958, 2.326, 7.681, 3),
        ),
        _asked(
            2,
            "any signal of the other car: ever not move?",
            "signal: ever not?",
            ("yes", 4.015, 2.428, 7.849, 3),
            ("no", 3.919, 2.334, 7.673, 3),
            ("no", 3.966, 2.352, 7.718, 3),
        ),
        _asked(
            3,
            "any signal, and its x anywhere from 1.0 to 1.5: always move?",
            "and x: always?",
            ("no", 154.7, 17.14, 179.7, 19),
            ("yes", 207.6, 4.622, 220.1, 19),
            ("no", 141.1, 17.34, 166.1, 19),
        ),
        _asked(
            4,
            "any signal, and its x anywhere from 1.0 to 1.5: ever not move?",
            "and x: ever not?",
            ("yes", 133.0, 54.40, 195.2, 19),
            ("no", 126.0, 4.648, 138.5, 19),
            ("yes", 254.2, 17.47, 279.5, 19),
        ),
        _asked(
            5,
            "any signal, and a third car where it does not matter: always move?",
            "third car: always?",
            ("no", 8.995, 4.111, 16.74, 3),
            ("yes", 9.107, 3.951, 16.71, 3),
            ("yes", 9.037, 3.913, 16.54, 3),
        ),
        _asked(
            6,
            "any signal, and a third car where it does not matter: ever not move?",
            "third car: ever not?",
            ("yes", 8.483, 4.029, 16.33, 3),
            ("no", 8.979, 3.848, 16.46, 3),
            ("no", 9.087, 3.941, 16.70, 3),
        ),
    ),
)

TABLE_2: Final = PaperTable(
    2,
    "a health risk, misjudged",
    "diabetes",
    (
        PaperQuestion("low risk?", "low risk?", 0, (PaperRow("dt", "yes", 0.746, 4.896e-03, 0.812, 1),)),
        PaperQuestion(
            "any weight: ever high risk?", "weight: ever high?", 1, (PaperRow("dt", "yes", 2.277, 1.655, 4.009, 2),)
        ),
    ),
)

TABLES: Final = (TABLE_1, TABLE_2)
