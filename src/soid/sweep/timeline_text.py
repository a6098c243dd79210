"""A timeline in characters, for terminals: a character is a moment, or a stretch of them where there are many.

>>> from soid.sweep.sweep_row import SweepRow
>>> from soid.sweep.verdict_timeline import lanes
>>> verdicts = [Verdict.NO] * 3 + [Verdict.YES] * 2 + [Verdict.UNKNOWN]
>>> rows = [SweepRow("a.csv", at, "did move", each, "", (), {}, 0.0) for at, each in enumerate(verdicts)]
>>> strip(lanes(rows)[0], 40), strip(lanes(rows)[0], 3), strip(lanes(rows)[0], 40, ascii_only=True)
('···██?', '·▒▒', '...##?')
>>> legend()
'█ yes  · no  ∅ vacuous  ? unknown  ! error  ▒ several'
"""

from __future__ import annotations

from typing import Final

from soid.oracle.answer import Verdict
from soid.sweep.verdict_timeline import VerdictLane

#: a sign of each verdict, and one in ASCII
_SIGNS: Final = {
    Verdict.YES: ("█", "#"),
    Verdict.NO: ("·", "."),
    Verdict.VACUOUS: ("∅", "0"),
    Verdict.UNKNOWN: ("?", "?"),
    Verdict.ERROR: ("!", "!"),
}
_SEVERAL: Final = ("▒", "%")


def strip(lane: VerdictLane, columns: int, *, ascii_only: bool = False) -> str:
    """The verdicts along a log, in at most so many columns."""
    return "".join(
        _sign(_SIGNS[cell[0].verdict] if len({row.verdict for row in cell}) == 1 else _SEVERAL, ascii_only)
        for cell in lane.cells(columns)
    )


def legend(*, ascii_only: bool = False) -> str:
    """What the signs mean."""
    signs = [(signs, verdict.value) for verdict, signs in _SIGNS.items()]
    return "  ".join(f"{_sign(each, ascii_only)} {word}" for each, word in [*signs, (_SEVERAL, "several")])


def _sign(signs: tuple[str, str], ascii_only: bool) -> str:
    return signs[ascii_only]
