"""A decision map as characters: one character for each region, `@` for the fact.

STRAIGHT  bbbbbbbbbbbbbbbbbaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
LEFT      bbbbbbbbbbbbbbbbbaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
RIGHT     bbbbbbbbbbbbbbbbbbbb@bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
          0.0                                                     4.095

A character shows the state in its middle, which is enough for a first look; the list of boxes is exact.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from typing import Final, final

from msgspec import Struct

from soid.mapping.claims import ClaimKind
from soid.mapping.decision_map import DecisionMap, Region
from soid.mapping.map_layout import MapLayout

_HEIGHT: Final = 18  # lines of a map with numbers on both axes
_MOST_BANDS: Final = 40
FACT: Final = "@"
OUTSIDE: Final = " "


@final
class TextRow(Struct, frozen=True):
    """A line of the map."""

    name: str  # the text at its left
    signs: str


def signs(regions: Sequence[Region]) -> list[str]:
    """A character for each region: a letter for a decision."""
    letters = iter(string.ascii_lowercase + string.ascii_uppercase)
    known = {ClaimKind.FAILS: "!", ClaimKind.UNDECIDED: "~", ClaimKind.DEPENDS: "*", ClaimKind.OPEN: "?"}
    return [known.get(region.label.kind) or next(letters) for region in regions]


def rows(made: DecisionMap, width: int) -> list[TextRow]:
    """The map in `width` columns, with the texts at its left; the last row has the ends of the axis across."""
    layout = MapLayout(made)
    named = dict(zip(map(id, made.regions), signs(made.regions), strict=True))
    lines = list(_lines(layout))
    margin = max(len(name) for name, _ in lines)
    columns = max(width - margin - 2, 10)
    grid = [
        [named.get(id(made.at(layout.at((column + 0.5) / columns, down))), OUTSIDE) for column in range(columns)]
        for _, down in lines
    ]
    _mark_fact(layout, grid)
    across = made.axes[0]
    first, last = across.first_text(across.low, across.high), across.text(across.high)
    ends = first + last.rjust(max(columns - len(first), len(last) + 1))
    drawn = [TextRow(name.ljust(margin), "".join(line)) for (name, _), line in zip(lines, grid, strict=True)]
    return [*drawn, TextRow(" " * margin, ends)]


def _lines(layout: MapLayout) -> Iterator[tuple[str, float]]:
    """The text at the left of each line, and the position of its middle, from 0 (top) to 1."""
    down = layout.down
    if down is None:
        yield "", 0.5
    elif down.has_names:
        for number, band in enumerate(down.bands[:_MOST_BANDS]):
            yield down.band_text(band), (number + 0.5) / len(down.bands)
    else:
        for number in range(_HEIGHT):
            ends = {0: down.text(down.high), _HEIGHT - 1: down.first_text(down.low, down.high)}
            yield ends.get(number, ""), (number + 0.5) / _HEIGHT


def _mark_fact(layout: MapLayout, grid: list[list[str]]) -> None:
    if not layout.made.fact.is_drawn:
        return
    frame = layout.frame
    x, y = layout.point(layout.made.fact.point)
    row = min(int((y - frame.y) / frame.height * len(grid)), len(grid) - 1)
    column = min(int((x - frame.x) / frame.width * len(grid[row])), len(grid[row]) - 1)
    grid[row][column] = FACT
