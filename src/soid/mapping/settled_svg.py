"""What is settled of an open question as SVG: a bar where one input varies, a grid where two do.

The open part differs by its dots as well as by its colour, as it does in maps, whose style sheet this drawing uses.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from soid.mapping.claims import ClaimKind, RegionLabel
from soid.mapping.map_palette import looks, pattern, style
from soid.oracle.settled_share import OPEN, OUTSIDE, PictureAxis, SettledPicture, SettledShare
from soid.program.units import unit_told
from soid.query.words.readable_numbers import with_unit
from soid.scene.vector.elements import document, label, number, sheet, shortened, tag, title, width, wrapped
from soid.scene.vector.style import SIZE, SMALL, Theme

_WIDE: Final = 560.0  # px, in a drawing of its own
_MARGIN: Final = 18.0
_BAR: Final = 26.0  # the height of a bar,
_ROW: Final = 9.0  # and of a row of a grid,
_LABELLED: Final = 20.0  # and of one with a name beside it
_NAMED: Final = 8  # rows that each have a name
_MOST: Final = 0.4  # of the width, for the names of rows
_LINE: Final = 17.0

_label: Final = functools.partial(label, family="sm")


def svg(settled: SettledShare, theme: Theme = "auto") -> str:
    """The drawing as a document of its own; without a picture the words alone."""
    lines = wrapped(settled.told, _WIDE - 2 * _MARGIN, SIZE)
    top = _MARGIN + len(lines) * _LINE
    above = [_label(each, _MARGIN, _MARGIN + (n + 1) * _LINE - 5) for n, each in enumerate(lines)]
    drawn, down = "", top
    if settled.picture is not None:
        drawn, down = _drawn(settled.picture, _WIDE - 2 * _MARGIN)
        drawn, down = tag("g", drawn, transform=f"translate({number(_MARGIN)} {number(top)})"), top + down
    return sheet(_WIDE, down + _MARGIN / 2, settled.told, str(settled), "sm", style(theme), *above, drawn)


def panel(settled: SettledShare, picture: SettledPicture, *, wide: float) -> str:
    """The drawing as a part of a page that has the style of maps."""
    drawn, down = _drawn(picture, wide)
    return document(wide, down, "what is settled", drawn, said=str(settled), width=wide, height=down)


def _drawn(picture: SettledPicture, wide: float) -> tuple[str, float]:
    """The cells with what is along them, and how far down they go."""
    names = _names(picture)
    beside = max((width(each, SMALL) + 10.0 for each in names), default=0.0) if any(names) else 0.0
    left = min(beside, wide * _MOST)
    high = _BAR if len(picture.rows) == 1 else _LABELLED if len(picture.rows) <= _NAMED else _ROW
    top = _LINE if len(picture.axes) > 1 else 0.0
    room, depth = wide - left, high * len(picture.rows)
    mark = f"settled-{zlib.crc32(repr(picture).encode()):08x}"  # a page may hold several drawings
    parts = [tag("defs", *_patterns(mark))]
    if len(picture.axes) > 1:
        parts.append(_label(shortened(_titled(picture.axes[1]), wide, SMALL), 0.0, 11.0, "sm-small sm-dim"))
    rows = list(zip(names, picture.rows, strict=True))
    if not picture.axes[-1].values:  # numbers grow upwards, as on maps
        rows.reverse()
    for place, (name, row) in enumerate(rows):
        y = top + place * high
        parts += _runs(row, left, y, room, high, mark)
        if name:
            said = shortened(name, left - 8.0, SMALL)
            parts.append(_label(said, left - 6.0, y + high / 2 + 4.0, "sm-small sm-dim", anchor="end"))
    parts.append(tag("rect", x=left, y=top, width=room, height=depth, class_="sm-edge"))
    down = top + depth + 15.0
    across = picture.axes[0]
    parts += _along(across, left, room, down)
    down += 14.0
    parts.append(_label(shortened(_titled(across), room, SMALL), left, down, "sm-small sm-dim"))
    down += 10.0
    parts += _legend(left, down, mark)
    return "".join(parts), down + _LINE + 2.0


def _patterns(mark: str) -> Iterator[str]:
    told = RegionLabel(ClaimKind.DECIDES, "settled"), RegionLabel(ClaimKind.OPEN, "open")
    for name, look in zip(("done", "open"), looks(told), strict=True):
        yield pattern(f"{mark}-{name}", *look)


def _runs(row: str, left: float, y: float, room: float, high: float, mark: str) -> Iterator[str]:
    """A rectangle for each stretch of cells that are alike."""
    place, one = 0, room / len(row)
    for sign, cells in groupby(row):
        count = len(list(cells))
        if sign != OUTSIDE:
            said = "open" if sign == OPEN else "settled"
            fill = f"url(#{mark}-{'open' if sign == OPEN else 'done'})"
            at = {"x": left + place * one, "y": y, "width": count * one, "height": high}
            yield tag("rect", title(said), **at, fill=fill, class_="sm-region")
        place += count


def _names(picture: SettledPicture) -> list[str]:
    """What stands before each row: its value, or the values at the two ends."""
    count = len(picture.rows)
    if len(picture.axes) == 1:
        return [""]
    down = picture.axes[1]
    if down.values and count <= _NAMED:
        return list(down.values)
    return [down.low, *[""] * (count - 2), down.high]


def _along(axis: PictureAxis, left: float, room: float, y: float) -> list[str]:
    """The values across: of each cell where there is room for them, else at the two ends."""
    count = len(axis.values)
    if count and all(width(each, SMALL) + 8.0 <= room / count for each in axis.values):
        middle = [left + room * (place + 0.5) / count for place in range(count)]
        return [
            _label(each, x, y, "sm-small sm-dim", anchor="middle") for each, x in zip(axis.values, middle, strict=True)
        ]
    high = with_unit(axis.high, axis.unit)
    return [
        _label(shortened(axis.low, room / 2, SMALL), left, y, "sm-small sm-dim"),
        _label(shortened(high, room / 2, SMALL), left + room, y, "sm-small sm-dim", anchor="end"),
    ]


def _titled(axis: PictureAxis) -> str:
    return f"{axis.name}, in {unit_told(axis.unit)}" if axis.unit and not axis.values else axis.name


def _legend(left: float, y: float, mark: str) -> Iterator[str]:
    x = left
    for name, said in (("done", "settled"), ("open", "open")):
        yield tag("rect", x=x, y=y, width=12, height=12, fill=f"url(#{mark}-{name})")
        yield tag("rect", x=x, y=y, width=12, height=12, class_="sm-edge")
        yield _label(said, x + 17.0, y + 10.0, "sm-small")
        x += 17.0 + width(said, SMALL) + 18.0
