"""A decision map as SVG: one self-contained text, for a page, a report or a printer.

Regions differ by pattern as well as by colour. Their names are inside them where there is room, and below the map. A
page finds a region by `data-region` (its number), and turns a point into a state with the `data-left`, `-top`, `-width`
and `-height` of the map's frame and `MapLayout.at`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Final

from msgspec.structs import asdict

from soid.mapping import map_words
from soid.mapping.axes import Axis
from soid.mapping.claims import ClaimKind, RegionLabel
from soid.mapping.decision_map import DecisionMap, Region
from soid.mapping.map_layout import LINE, MapLayout
from soid.mapping.map_palette import looks, pattern, style
from soid.scene.vector.elements import Rectangle, label, number, sheet, tag, title, width, wrapped
from soid.scene.vector.panel import ticks
from soid.scene.vector.style import SIZE, SMALL, Theme

_label: Final = functools.partial(label, family="sm")

_TICK: Final = 90.0  # px between two numbers, at least
_CLEAR: Final = 4.0  # px between two numbers
_SWATCH: Final = 15.0
_FACT: Final = 5.5  # px, of the dot


def svg(made: DecisionMap, *, caption: str = "", theme: Theme = "auto", name: str = "map") -> str:
    """The drawing as a document of its own; `name` must differ between maps in one page."""
    return _drawing(MapLayout(made, caption), style(theme), name)


def panel(made: DecisionMap, *, wide: float, name: str = "map", known: Sequence[RegionLabel] = ()) -> str:
    """The drawing as a part of a page, which has the heading and the style.

    Labels look as their places among those `known` say, so that they look the same in several maps.
    """
    return _drawing(MapLayout(made, wide=wide, headed=False), "", name, known)


def _drawing(layout: MapLayout, style_sheet: str, name: str, known: Sequence[RegionLabel] = ()) -> str:
    made = layout.made
    labels = list(dict.fromkeys((*known, *(region.label for region in made.regions))))
    styles = dict(zip(labels, looks(labels), strict=True))
    frame, room = layout.frame, layout.width - 2 * layout.margin
    patterns = [pattern(f"{name}-{n}", *styles[region.label]) for n, region in enumerate(made.regions)]
    above = [
        _label(line, layout.margin, layout.margin + LINE * (row + 1) - 3, class_)
        for row, (class_, line) in enumerate(layout.heading)
    ]
    parts = [*above, _map(layout, name), _axes(layout)]
    listed, down = _legend(layout, name, frame.y + frame.height + 46.0, room)
    height = down + 14.0
    head = style_sheet + tag("defs", *patterns)
    return sheet(layout.width, height, map_words.heading(made), described(made), "sm", head, *parts, listed)


def described(made: DecisionMap) -> str:
    """The map in words, for screen readers."""
    regions = [f"{region.label.words}, {map_words.region_share(made, region)}" for region in made.regions]
    return ". ".join([map_words.heading(made), *regions, map_words.fact_text(made), map_words.settled_text(made)])


def _map(layout: MapLayout, name: str) -> str:
    frame = layout.frame
    drawn = [_region(layout, region, n, f"{name}-{n}") for n, region in enumerate(layout.made.regions)]
    drawn.sort(key=lambda each: -each[2])  # small regions come last, so that nothing hides them
    line, dot = _fact(layout)
    return tag(
        "g",
        tag("rect", **asdict(frame), class_="sm-ground"),
        *(shape for shape, _, _ in drawn),
        tag("rect", **asdict(frame), class_="sm-edge"),
        line,
        *(names for _, names, _ in drawn),
        dot,
        role="graphics-object group",
        aria_label="the map",
        data_left=frame.x,
        data_top=frame.y,
        data_width=frame.width,
        data_height=frame.height,
    )


def _region(layout: MapLayout, region: Region, number_: int, fill: str) -> tuple[str, str, float]:
    """Its shape, its name where there is room for it, and its area."""
    rectangles = [each for box in region.boxes for each in layout.rectangles(box)]
    area = sum(r.width * r.height for r in rectangles)
    path = "".join(
        f"M{number(r.x)} {number(r.y)}h{number(r.width)}v{number(r.height)}h{number(-r.width)}z" for r in rectangles
    )
    said = f"{region.label.words} ({map_words.region_share(layout.made, region)})"
    shape = tag(
        "path",
        title(said),
        d=path,
        fill=f"url(#{fill})",
        class_="sm-region",
        role="graphics-symbol img",
        aria_label=said,
        data_region=number_,
    )
    if region.label.kind is ClaimKind.OPEN or not rectangles:
        return shape, "", area
    if not layout.has_gaps:  # one name, else one in each band
        rectangles = [max(rectangles, key=lambda r: r.width * min(r.height, 3 * LINE))]
    fact = layout.point(layout.made.fact.point) if layout.made.fact.is_drawn else None
    return shape, "".join(_named(region.label.words, r, fact) for r in rectangles), area


def _named(text: str, rectangle: Rectangle, fact: tuple[float, float] | None) -> str:
    """A name in the middle of a rectangle, or of the larger part beside the fact's line; its dot covers none."""
    wide, (x, y) = width(text, SMALL) + 10.0, rectangle.centre
    if wide > rectangle.width or rectangle.height < LINE:
        return ""
    if fact is not None and abs(x - fact[0]) < wide / 2 + _FACT:
        left, right = fact[0] - _FACT - rectangle.x, rectangle.x + rectangle.width - fact[0] - _FACT
        room = max(left, right)
        if wide <= room:
            x = rectangle.x + room / 2 if left >= right else rectangle.x + rectangle.width - room / 2
        elif abs(y - fact[1]) < LINE / 2 + _FACT:
            return ""
    card = tag("rect", x=x - wide / 2, y=y - 8.5, width=wide, height=17, rx=3, class_="sm-card", opacity=0.82)
    return tag(
        "g", card, _label(text, x, y + 4, "sm-small", anchor="middle"), pointer_events="none", aria_hidden="true"
    )


def _axes(layout: MapLayout) -> str:
    frame, parts = layout.frame, []
    low = frame.y + frame.height
    across = [(frame.x + share * frame.width, text) for share, text in marks(layout.across, frame.width / _TICK)]
    readable = _apart(across)
    for x, text in across:
        if not layout.across.has_names:
            parts.append(tag("path", d=f"M{number(x)} {number(low)}v4", class_="sm-axis"))
        if (x, text) in readable:
            parts.append(_label(text, x, low + 16, "sm-small sm-dim", anchor="middle"))
    parts.append(
        _label(
            map_words.axis_title(layout.across),
            frame.x + frame.width,
            low + 32,
            "sm-small sm-dim",
            anchor="end",
        )
    )
    if layout.down is not None:
        for share, text in marks(layout.down, frame.height / 50.0):
            y = frame.y + (share if layout.down.has_names else 1.0 - share) * frame.height
            if not layout.down.has_names:
                parts.append(tag("path", d=f"M{number(frame.x)} {number(y)}h-4", class_="sm-axis"))
            parts.append(_label(text, frame.x - 8, y + SMALL / 3, "sm-small sm-dim", anchor="end"))
        parts.append(_label(map_words.axis_title(layout.down), layout.margin, frame.y - 9, "sm-small sm-dim"))
    return tag("g", *parts, aria_hidden="true")


def _apart(marks: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """The marks along the lower edge that can be written without touching: zero first, then from the outside."""
    middle = len(marks) / 2
    order = sorted(enumerate(marks), key=lambda mark: (mark[1][1] != "0", -abs(mark[0] + 0.5 - middle)))
    found: list[tuple[float, str]] = []
    for _, (x, text) in order:
        reach = width(text, SMALL) / 2 + _CLEAR
        if all(abs(x - other) >= reach + width(said, SMALL) / 2 for other, said in found):
            found.append((x, text))
    return found


def marks(axis: Axis, most: float) -> list[tuple[float, str]]:
    """The positions and texts along an axis: labels at their bands, round numbers at their places."""
    if axis.has_names:
        spans = [(axis.span(*band), axis.band_text(band)) for band in axis.bands]
        return [((start + end) / 2, text) for (start, end), text in spans]
    first, last = axis.numbers
    if first == last:
        return [(0.5, axis.text(axis.low))]
    if axis.scale == "even":
        values = ticks(first, last, most)
    else:
        values = [0.0, *(sign * each for each in _powers(max(abs(first), abs(last)), most) for sign in (-1, 1))]
    return [(axis.drawn_at(each), f"{each:.12g}") for each in sorted(values) if first <= each <= last]


def _powers(most: float, count: float) -> list[float]:
    """Powers of ten up to `most`, about `count` of them on both sides of zero together."""
    highest = math.floor(math.log10(most))
    step = max(1, math.ceil(2 * (highest + 1) / max(count - 1, 2)))
    return [10.0**each for each in range(highest, -1, -step)]


def _fact(layout: MapLayout) -> tuple[str, str]:
    """The fact: a line and a dot on it."""
    made = layout.made
    if not made.fact.is_drawn:
        return "", ""
    x, y = layout.point(made.fact.point)
    frame, said = layout.frame, map_words.fact_text(made)
    line = tag("path", d=f"M{number(x)} {number(frame.y - 4)}v{number(frame.height + 8)}", class_="sm-line")
    dot = tag("circle", title(said), cx=x, cy=y, r=_FACT, class_="sm-fact", role="graphics-symbol img", aria_label=said)
    return line, dot


def _legend(layout: MapLayout, name: str, y: float, room: float) -> tuple[str, float]:
    """The regions' names, the fact and the settled share; and the y at which that ends."""
    made, left, parts, down = layout.made, layout.margin, [], y
    for n, region in enumerate(made.regions):
        box = {"x": left, "y": down, "width": 2 * _SWATCH, "height": _SWATCH}
        parts.append(tag("rect", **box, fill=f"url(#{name}-{n})", class_="sm-swatch"))
        parts.append(tag("rect", **box, class_="sm-edge"))
        said = f"{region.label.words}  ({map_words.region_share(made, region)})"
        for line in wrapped(said, room - 40.0, SIZE):
            parts.append(_label(line, left + 40.0, down + 12))
            down += LINE
        down += 3.0
    if made.fact.is_drawn:
        parts.append(tag("circle", cx=left + 15.0, cy=down + 8.0, r=_FACT, class_="sm-fact"))
    for line in wrapped(map_words.fact_text(made), room - 40.0, SIZE):
        parts.append(_label(line, left + 40.0, down + 12))
        down += LINE
    down += 6.0
    for line in wrapped(f"{map_words.settled_text(made)} {map_words.measure_text(made)}", room, SMALL):
        parts.append(_label(line, left, down + 11, "sm-small sm-dim"))
        down += 14.0
    return tag("g", *parts), down
