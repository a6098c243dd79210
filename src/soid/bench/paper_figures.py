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


TABLE_1: Final = PaperTable(
    1,
    "three cars on the stand",
    "crash",
    (
        PaperQuestion(
            "moved?",
            "moved?",
            0,
            (
                PaperRow("standard", "yes", 3.575, 4.290e-03, 4.162, 1),
                PaperRow("impatient", "yes", 3.607, 4.317e-03, 4.193, 1),
                PaperRow("pathological", "yes", 3.626, 4.249e-03, 4.212, 1),
            ),
        ),
        PaperQuestion(
            "any signal of the other car: always move?",
            "signal: always?",
            1,
            (
                PaperRow("standard", "no", 3.979, 2.371, 7.754, 3),
                PaperRow("impatient", "yes", 4.001, 2.307, 7.703, 3),
                PaperRow("pathological", "yes", 3.958, 2.326, 7.681, 3),
            ),
        ),
        PaperQuestion(
            "any signal of the other car: ever not move?",
            "signal: ever not?",
            2,
            (
                PaperRow("standard", "yes", 4.015, 2.428, 7.849, 3),
                PaperRow("impatient", "no", 3.919, 2.334, 7.673, 3),
                PaperRow("pathological", "no", 3.966, 2.352, 7.718, 3),
            ),
        ),
        PaperQuestion(
            "any signal, and its x anywhere from 1.0 to 1.5: always move?",
            "and x: always?",
            3,
            (
                PaperRow("standard", "no", 154.7, 17.14, 179.7, 19),
                PaperRow("impatient", "yes", 207.6, 4.622, 220.1, 19),
                PaperRow("pathological", "no", 141.1, 17.34, 166.1, 19),
            ),
        ),
        PaperQuestion(
            "any signal, and its x anywhere from 1.0 to 1.5: ever not move?",
            "and x: ever not?",
            4,
            (
                PaperRow("standard", "yes", 133.0, 54.40, 195.2, 19),
                PaperRow("impatient", "no", 126.0, 4.648, 138.5, 19),
                PaperRow("pathological", "yes", 254.2, 17.47, 279.5, 19),
            ),
        ),
        PaperQuestion(
            "any signal, and a third car where it does not matter: always move?",
            "third car: always?",
            5,
            (
                PaperRow("standard", "no", 8.995, 4.111, 16.74, 3),
                PaperRow("impatient", "yes", 9.107, 3.951, 16.71, 3),
                PaperRow("pathological", "yes", 9.037, 3.913, 16.54, 3),
            ),
        ),
        PaperQuestion(
            "any signal, and a third car where it does not matter: ever not move?",
            "third car: ever not?",
            6,
            (
                PaperRow("standard", "yes", 8.483, 4.029, 16.33, 3),
                PaperRow("impatient", "no", 8.979, 3.848, 16.46, 3),
                PaperRow("pathological", "no", 9.087, 3.941, 16.70, 3),
            ),
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
            "any weight: ever high risk?",
            "weight: ever high?",
            1,
            (PaperRow("dt", "yes", 2.277, 1.655, 4.009, 2),),
        ),
    ),
)

TABLES: Final = (TABLE_1, TABLE_2)
