"""The layout of a map's picture, in px, and the state under a point of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from msgspec import Struct

from soid.formula.interval_program import Box
from soid.mapping import map_words
from soid.mapping.axes import Axis
from soid.mapping.decision_map import DecisionMap
from soid.scene.vector.elements import Rectangle, wrapped
from soid.scene.vector.elements import width as text_width
from soid.scene.vector.style import LARGE, SIZE, SMALL

MARGIN: Final = 22.0
LINE: Final = 18.0
WIDTH: Final = 640.0  # of the map itself, in a drawing of its own
_HEIGHT: Final = 420.0  # of a map with numbers on both axes
_BAND: Final = 34.0  # height of a band
_TALLEST: Final = 560.0  # height of all bands, at most
_ALONE: Final = 46.0  # height of a map along one variable
_LEAST: Final = 2.0  # width and height of a part of a region, at least


@final
class MapLayout(Struct, frozen=True):
    """The map's own rectangle inside the drawing: numbers grow to the right and upwards, bands follow downwards."""

    made: DecisionMap
    caption: str = ""
    wide: float = WIDTH  # the map itself
    headed: bool = True  # False: the page around it has the heading

    @property
    def heading(self) -> list[tuple[str, str]]:
        """The lines above the map, each with its style."""
        if not self.headed:
            return []
        made, room = self.made, self.width - 2 * self.margin
        lines = [("sm-large", line) for line in wrapped(map_words.heading(made), room, 1.15 * LARGE)]
        lines += [("sm-dim", line) for line in wrapped(self.caption, room, SIZE)]
        return lines + [("sm-dim sm-small", line) for line in wrapped(made.supposed, room, SMALL)]

    @property
    def margin(self) -> float:
        return MARGIN if self.headed else 8.0

    @property
    def across(self) -> Axis:
        return self.made.axes[0]

    @property
    def down(self) -> Axis | None:
        return self.made.axes[1] if len(self.made.axes) > 1 else None

    @property
    def left(self) -> float:
        """The room at the left for the texts of the axis."""
        if self.down is None:
            return self.margin
        if not self.down.has_names:
            return self.margin + 64.0
        longest = max((text_width(self.down.band_text(band), SMALL) for band in self.down.bands), default=0.0)
        return self.margin + min(longest, 200.0) + 10.0

    @property
    def frame(self) -> Rectangle:
        height = _ALONE
        if self.down is not None:
            height = min(_BAND * len(self.down.bands), _TALLEST) if self.down.has_names else _HEIGHT * self.wide / WIDTH
        above = len(self.heading) * LINE + (LINE if self.down is not None else 0.0)
        return Rectangle(self.left, self.margin + above + 8.0, self.wide, max(height, _ALONE))

    @property
    def width(self) -> float:
        return self.left + self.wide + self.margin

    @property
    def has_gaps(self) -> bool:
        """Whether there are gaps between bands, because their order is no distance."""
        return self.down is not None and self.down.has_names and self.frame.height / len(self.down.bands) > 8.0

    def rectangles(self, box: Box) -> Iterator[Rectangle]:
        """Where a box is drawn: one rectangle for each band, none too small to be seen."""
        frame = self.frame
        for start, end in self._pieces(self.across, box[0]):
            x, width = frame.x + start * frame.width, (end - start) * frame.width
            if width < _LEAST:
                x, width = min(x, frame.x + frame.width - _LEAST), _LEAST
            for top, bottom in self._pieces(self.down, box[1]) if self.down is not None else [(0.0, 1.0)]:
                if self.down is not None and not self.down.has_names:
                    top, bottom = 1.0 - bottom, 1.0 - top
                y, height = frame.y + top * frame.height, (bottom - top) * frame.height
                if height < _LEAST:
                    y, height = min(y, frame.y + frame.height - _LEAST), _LEAST
                gap = 3.0 if self.has_gaps else 0.0
                yield Rectangle(x, y + gap, width, height - 2 * gap)

    @staticmethod
    def _pieces(axis: Axis, places: tuple[int, int]) -> list[tuple[float, float]]:
        if not axis.has_names:
            return [axis.span(*places)]
        low, high = places
        shown = [(max(low, first), min(high, last)) for first, last in axis.bands]
        return [axis.span(first, last) for first, last in shown if first <= last]

    def at(self, x: float, y: float) -> tuple[int, ...]:
        """The state under a point of the map's rectangle, both from 0 to 1, from its upper left corner."""
        if self.down is None:
            return (self.across.nearest(x),)
        return self.across.nearest(x), self.down.nearest(y if self.down.has_names else 1.0 - y)

    def point(self, places: tuple[int, ...]) -> tuple[float, float]:
        """The middle of where a state is drawn."""
        frame = self.frame
        (start, end), *rest = (axis.span(place, place) for axis, place in zip(self.made.axes, places, strict=True))
        x = frame.x + (start + end) / 2 * frame.width
        if not rest or self.down is None:
            return x, frame.y + frame.height / 2
        middle = sum(rest[0]) / 2
        return x, frame.y + (middle if self.down.has_names else 1.0 - middle) * frame.height
