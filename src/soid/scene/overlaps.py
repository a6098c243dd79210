"""Which actors of a moment overlap, by the outlines that are drawn of them: a picture hides one under the other.

>>> square = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]
>>> meet(square, [(1.0, 1.0), (3.0, 1.0), (3.0, 3.0)]), meet(square, [(2.0, 0.0), (3.0, 0.0), (3.0, 2.0)])
(True, False)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from typing import Final

from soid.program.scenery import Look
from soid.scene.picture import DrawnActor
from soid.scene.viewport import Viewport

Point = tuple[float, float]

_CORNERS: Final = 16  # of the polygon that stands for a person's circle
_TOUCH: Final = 1e-9  # of a length: what only touches does not overlap


def outline(figure: DrawnActor, scale: float = 1.0) -> list[Point]:
    """The corners of what is drawn of an actor, seen from its centre, as the picture has them: y grows downwards."""
    length, breadth = (scale * each for each in figure.actor.size)
    if figure.actor.look is Look.PERSON:
        around = (2 * math.pi * corner / _CORNERS for corner in range(_CORNERS))
        reach = max(length, breadth) / 2
        return [(reach * math.cos(angle), reach * math.sin(angle)) for angle in around]
    angle = math.radians(figure.direction or 0.0)
    cos, sin = math.cos(angle), math.sin(angle)
    corners = [(along * length / 2, aside * breadth / 2) for along, aside in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    return [(x * cos + y * sin, y * cos - x * sin) for x, y in corners]


def meet(one: Sequence[Point], other: Sequence[Point]) -> bool:
    """Whether two convex polygons have more than their edges in common: no line through an edge separates them."""
    return not any(_separated(edge, one, other) for edge in (*_edges(one), *_edges(other)))


def _edges(corners: Sequence[Point]) -> Iterable[Point]:
    return ((x2 - x1, y2 - y1) for (x1, y1), (x2, y2) in pairwise((*corners, corners[0])))


def _separated(edge: Point, one: Sequence[Point], other: Sequence[Point]) -> bool:
    across, down = -edge[1], edge[0]
    mine, theirs = ([x * across + y * down for x, y in each] for each in (one, other))
    least = _TOUCH * (max(mine) - min(mine))
    return max(mine) <= min(theirs) + least or max(theirs) <= min(mine) + least


def overlapping(frame: Viewport, figures: Iterable[DrawnActor]) -> list[tuple[DrawnActor, DrawnActor]]:
    """The pairs of drawn actors that overlap, in their true sizes."""
    placed = []
    for figure in figures:
        if figure.place is not None:
            x, y = frame.across(figure.place[0]) * frame.width, frame.down(figure.place[1]) * frame.height
            placed.append((figure, [(x + across, y + down) for across, down in outline(figure)]))
    return [(one, other) for (one, mine), (other, theirs) in combinations(placed, 2) if meet(mine, theirs)]
