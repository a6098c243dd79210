"""Bars of inputs as SVG, for a page, a report or a file.

Each bar has its name and its values above it, and below it the ends of what is drawn and where the outcome flips. A dot
is the fact, a diamond the scenario, hatching what is supposed, a thick line a flip. Text lies beside the bars, never on
a mark; what finds no room is shortened with an ellipsis, and is whole in the title.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.mapping.bars.bar_words import described, heading_of
from soid.mapping.bars.input_bars import InputBar, InputBars
from soid.scene.vector.elements import (
    document,
    label,
    number,
    plain,
    sheet,
    shortened,
    tag,
    title,
    width,
    wrapped,
)
from soid.scene.vector.style import LARGE, SIZE, SMALL, Theme, fonts, themed

_FAMILY: Final = "sb"
_WIDE: Final = 640.0  # px, in a drawing of its own
_MARGIN: Final = 18.0
_NAME: Final = 18.0  # the height of the line with the name,
_BAR: Final = 16.0  # of the bar,
_BELOW: Final = 13.0  # of the line below it,
_GAP: Final = 6.0  # and between two bars
_EDGE: Final = 9.0  # px beside a bar for half of a mark
_MARK: Final = 5.5
_ASIDE: Final = 62.0  # px of what lies beside a range
_LEAST: Final = 3.0  # px of a range that is supposed
_LEGEND: Final = 22.0

_label: Final = functools.partial(label, family=_FAMILY)

_SHAPES: Final = f"""
{fonts(_FAMILY)}
.{_FAMILY}-bar {{ stroke-width: 1 }}
.{_FAMILY}-cell {{ stroke-width: 1 }}
.{_FAMILY}-hatch {{ fill: none; stroke-width: 1.4 }}
.{_FAMILY}-supposed {{ stroke-width: 1.2 }}
.{_FAMILY}-way {{ fill: none; stroke-width: 1.8 }}
.{_FAMILY}-fact {{ stroke-width: 2 }}
.{_FAMILY}-scenario {{ stroke-width: 1.6 }}
.{_FAMILY}-flip {{ fill: none; stroke-width: 3 }}
"""
_COLOURS: Final = (
    (f".{_FAMILY}-paper", "fill", "#ffffff", "#15181c"),
    (f".{_FAMILY}-text", "fill", "#1b1f24", "#e9ebee"),
    (f".{_FAMILY}-dim", "fill", "#565d66", "#a5adb7"),
    (f".{_FAMILY}-bar", "fill", "#eff0ec", "#20252b"),
    (f".{_FAMILY}-bar", "stroke", "#8b9199", "#59616b"),
    (f".{_FAMILY}-cell", "stroke", "#8b9199", "#59616b"),
    (f".{_FAMILY}-ground", "fill", "#e6daf3", "#3a2c4d"),
    (f".{_FAMILY}-hatch", "stroke", "#b79ad6", "#6d5391"),
    (f".{_FAMILY}-supposed", "stroke", "#6f3a9e", "#b48ee0"),
    (f".{_FAMILY}-way", "stroke", "#6f3a9e", "#d9b5ff"),
    (f".{_FAMILY}-fact", "fill", "#1b1f24", "#ffffff"),
    (f".{_FAMILY}-fact", "stroke", "#ffffff", "#15181c"),
    (f".{_FAMILY}-scenario", "fill", "#6f3a9e", "#d9b5ff"),
    (f".{_FAMILY}-scenario", "stroke", "#ffffff", "#15181c"),
    (f".{_FAMILY}-given", "fill", "#1b1f24", "#ffffff"),
    (f".{_FAMILY}-there", "fill", "#6f3a9e", "#d9b5ff"),
    (f".{_FAMILY}-flip", "stroke", "#a34b12", "#f2a45c"),
    (f".{_FAMILY}-flips", "fill", "#8a3d0b", "#f2a45c"),
)


def style(theme: Theme) -> str:
    """The style sheet; `auto` follows the reader's choice of light or dark."""
    return themed(_SHAPES, _COLOURS, theme)


def svg(made: InputBars, *, heading: str = "", caption: Sequence[str] = (), theme: Theme = "auto") -> str:
    """The drawing as a document of its own, with what was decided as its `caption`."""
    room, top = _WIDE - 2 * _MARGIN, _MARGIN
    above: list[str] = []
    lines = [("large", 1.15 * LARGE, heading), *(("dim", SIZE, each) for each in caption)]
    for class_, size, text in lines:
        for line in wrapped(text, room, size):
            top += size + 4
            above.append(_label(line, _MARGIN, top - 4, f"{_FAMILY}-{class_}"))
    said = described(made)
    name = f"bars-{zlib.crc32(said.encode()):08x}"  # a page may hold several drawings
    drawn, down = _Bars(made, made.shown, _MARGIN, top + 4, room, name).written()
    if made.folded and made.has_scenario:
        rest = f"{len(made.folded)} further inputs are as in fact"
        drawn += _label(rest, _MARGIN, down + 10, f"{_FAMILY}-small {_FAMILY}-dim")
        down += 16
    head = style(theme)
    return sheet(_WIDE, down + _MARGIN / 2, heading or heading_of(made), said, _FAMILY, head, *above, drawn)


def panel(made: InputBars, bars: Sequence[InputBar], *, wide: float, name: str) -> str:
    """Some of the bars as a part of a page that has `style`; `name` must differ between drawings in one page."""
    drawn, down = _Bars(made, bars, 0.0, 0.0, wide, name).written()
    said = described(made, bars)
    return document(wide, down, heading_of(made), drawn, said=said, width=wide, height=down)


@final
class _Bars(Struct, frozen=True):
    """Lays the bars out, from top to bottom."""

    made: InputBars
    bars: Sequence[InputBar]
    left: float  # px
    top: float
    room: float
    name: str  # of its patterns

    def written(self) -> tuple[str, float]:
        """The drawing, and the y at which it ends."""
        lines, y = self._legend()
        parts = [self._hatching(), *lines]
        for bar in self.bars:
            parts.append(self._row(bar, y))
            y += self._height(bar)
        return "".join(parts), y

    def _height(self, bar: InputBar) -> float:
        below = _BELOW if any(bar.ends) or bar.flips or bar.aside else 3.0
        return self._above(bar) + _BAR + below + _GAP

    def _above(self, bar: InputBar) -> float:
        """The room for its name, and for its values if they are on a line of their own."""
        return _NAME * (len(self._named(bar)) + self._is_long(bar))

    def _named(self, bar: InputBar) -> list[str]:
        """Its name in lines: its end may be what tells it from another one."""
        room = self.room * width("x", SIZE) / width("x", SIZE, bold=bar.matters)
        return [shortened(line, room, SIZE) for line in wrapped(_capital(bar.name), room, SIZE)]

    def _hatching(self) -> str:
        ground = tag("rect", width=7, height=7, class_=f"{_FAMILY}-ground")
        lines = tag("path", d="M-2 2L2 -2M0 7L7 0M5 9L9 5", class_=f"{_FAMILY}-hatch")
        made = tag("pattern", ground, lines, id=f"{self.name}-hatch", width=7, height=7, patternUnits="userSpaceOnUse")
        return tag("defs", made)

    # --- what the marks mean

    def _legend(self) -> tuple[list[str], float]:
        x, y, parts = self.left, self.top, []
        for draw, said in self._meanings():
            wide = 24 + width(said, SMALL) + 14
            if x > self.left and x + wide > self.left + self.room:
                x, y = self.left, y + 17
            parts += [draw(x + 9, y + 8), _label(said, x + 22, y + 12, f"{_FAMILY}-small")]
            x += wide
        return parts, y + _LEGEND

    def _meanings(self) -> list[tuple[functools.partial[str], str]]:
        fact, scenario = self.made.sides
        found = [(functools.partial(_fact), fact)]
        if any(bar.differs for bar in self.bars):
            found.append((functools.partial(_scenario), scenario))
        if any(bar.supposed for bar in self.bars):
            found.append((functools.partial(self._sample), "allowed by what is supposed"))
        if any(bar.flips for bar in self.bars):
            found.append((functools.partial(_flip), "here the outcome changes"))
        return found

    def _sample(self, x: float, y: float) -> str:
        return self._supposed(x - 9, y - 6, 18, 12)

    def _supposed(self, x: float, y: float, wide: float, high: float) -> str:
        fill = f"url(#{self.name}-hatch)"
        return tag("rect", x=x, y=y, width=wide, height=high, fill=fill, class_=f"{_FAMILY}-supposed")

    # --- a bar

    def _row(self, bar: InputBar, y: float) -> str:
        track = _BarPlace(bar, self.left + _EDGE, y + self._above(bar), self.room - 2 * _EDGE)
        drawn = self._segments(track) if bar.axis.has_names else self._stretch(track)
        parts = [*self._caption(bar, y + SIZE + 1), *drawn, *self._asides(track), *self._marks(track), *_below(track)]
        said = described(self.made, [bar])
        return tag("g", title(said), *parts, role="graphics-symbol img", aria_label=said, data_input=bar.variable.path)

    def _caption(self, bar: InputBar, y: float) -> list[str]:
        """Its name at the left; its values, each after its mark, at the right or on a line of their own."""
        bold = f"{_FAMILY}-bold" if bar.matters else ""
        named = [_label(line, self.left, y + _NAME * row, bold) for row, line in enumerate(self._named(bar))]
        at, end = (y + _NAME * len(named), self.left) if self._is_long(bar) else (y, self.left + self.room)
        return [*named, _valued(bar, end, at, "start" if self._is_long(bar) else "end")]

    def _is_long(self, bar: InputBar) -> bool:
        """Whether name and values need a line each."""
        told = width(f"{bar.told_fact}    {bar.told_scenario if bar.differs else ''}", SIZE)
        return width(bar.name, SIZE, bold=bar.matters) + told + 40 > self.room

    def _stretch(self, track: _BarPlace) -> list[str]:
        """A range of numbers, with what is supposed hatched; where it goes on, its end is an arrow."""
        x, y, wide, bar = track.x, track.y, track.wide, track.bar
        before, after = (7.0 if goes_on else 0.0 for goes_on in bar.goes_on)
        half = number(_BAR / 2)
        d = f"M{number(x)} {number(y)}h{number(wide)}l{number(after)} {half}l{number(-after)} {half}h{number(-wide)}"
        parts = [tag("path", d=f"{d}l{number(-before)} -{half}z", class_=f"{_FAMILY}-bar")]
        for low, high in bar.supposed:
            low, high = max(low, bar.axis.low), min(high, bar.axis.high)
            if low <= high:
                begin, end = (x + share * wide for share in bar.axis.span(low, high))
                begin = min(begin, x + wide - _LEAST)
                parts.append(self._supposed(begin, y + 2, max(end - begin, _LEAST), _BAR - 4))
        return parts

    def _segments(self, track: _BarPlace) -> list[str]:
        """A segment for each label; the label in it, where there is room."""
        parts, axis = [], track.bar.axis
        for band in axis.bands:
            start, end = (track.x + share * track.wide for share in axis.span(*band))
            is_supposed = any(low <= band[0] and band[1] <= high for low, high in track.bar.supposed)
            size = {"x": start, "y": track.y, "width": end - start, "height": _BAR}
            parts.append(tag("rect", **size, class_=f"{_FAMILY}-bar"))
            if is_supposed:
                parts.append(self._supposed(start + 1.5, track.y + 2, end - start - 3, _BAR - 4))
            room = (
                end
                - start
                - 8
                - 2
                * (2 * _MARK + 4)
                * any(
                    bits is not None and band[0] <= axis.place(bits) <= band[1]
                    for bits in (track.bar.fact, track.bar.scenario)
                )
            )
            text = shortened(axis.band_text(band), room, SMALL)
            if text:
                middle = (start + end) / 2
                if is_supposed:
                    wide = width(text, SMALL) + 4
                    parts.append(
                        tag(
                            "rect",
                            x=middle - wide / 2,
                            y=track.y + 3,
                            width=wide,
                            height=_BAR - 6,
                            class_=f"{_FAMILY}-ground",
                        )
                    )
                parts.append(_label(text, middle, track.y + _BAR / 2 + 4, f"{_FAMILY}-small", anchor="middle"))
        return parts

    def _asides(self, track: _BarPlace) -> list[str]:
        """What is missing, or no number: cells beside the range."""
        parts = []
        for place, bits in enumerate(track.bar.aside):
            x = track.aside(place)
            parts.append(tag("rect", x=x, y=track.y, width=_ASIDE - 6, height=_BAR, class_=f"{_FAMILY}-bar"))
            if any(low <= track.bar.axis.place(bits) <= high for low, high in track.bar.supposed):
                parts.append(self._supposed(x + 1.5, track.y + 2, _ASIDE - 9, _BAR - 4))
            text = shortened(track.bar.variable.amount(bits), _ASIDE, SMALL)
            below = track.y + _BAR + SMALL + 1
            parts.append(_label(text, x + (_ASIDE - 6) / 2, below, f"{_FAMILY}-small {_FAMILY}-dim", anchor="middle"))
        return parts

    def _marks(self, track: _BarPlace) -> list[str]:
        """Flips, then the way from the fact to the scenario with both of its ends."""
        bar, middle, parts = track.bar, track.y + _BAR / 2, []
        for bits in bar.flips:
            parts.append(_flip(track.at(bits), middle))
        if bar.fact is None:
            return [*parts, _scenario(track.at(bar.scenario), middle)] if bar.scenario is not None else parts
        fact = track.at(bar.fact)
        if bar.scenario is None or not bar.differs:
            return [*parts, _fact(fact, middle)]
        there = track.at(bar.scenario)
        if abs(there - fact) > 4 * _MARK and not bar.axis.has_names:
            towards = 1 if there > fact else -1
            d = f"M{number(fact + towards * _MARK)} {number(middle)}H{number(there - towards * _MARK)}"
            return [*parts, tag("path", d=d, class_=f"{_FAMILY}-way"), _fact(fact, middle), _scenario(there, middle)]
        apart = _MARK + 1 if abs(there - fact) < 2 * _MARK + 1 else 0.0  # near each other: one above, one below
        return [*parts, _fact(fact, middle - apart), _scenario(there, middle + apart)]


@final
class _BarPlace(Struct, frozen=True):
    """Where a bar is drawn."""

    bar: InputBar
    x: float
    y: float
    whole: float  # with what lies aside

    @property
    def wide(self) -> float:
        return self.whole - _ASIDE * len(self.bar.aside)

    def aside(self, place: int) -> float:
        return self.x + self.wide + 12 + place * _ASIDE

    def at(self, bits: int) -> float:
        """The x of a value."""
        axis, place = self.bar.axis, self.bar.axis.place(bits)
        if bits in self.bar.aside:
            return self.aside(self.bar.aside.index(bits)) + (_ASIDE - 6) / 2
        start, end = axis.span(place, place)
        if axis.has_names and end - start > 0:  # beside the label
            wide = (end - start) * self.wide
            return (
                self.x + start * self.wide + min(4 + _MARK, wide / 2)
                if bits == self.bar.fact
                else (self.x + end * self.wide - min(4 + _MARK, wide / 2))
            )
        return self.x + (start + end) / 2 * self.wide


def _valued(bar: InputBar, x: float, y: float, anchor: str) -> str:
    """The values in a line; marks and texts are one text, whatever the width of its letters."""
    values = [("●", "given", bar.told_fact)]
    if bar.differs:
        values.append(("◆", "there", bar.told_scenario))
    parts = [f"{tag('tspan', mark, class_=f'{_FAMILY}-{class_}')}{plain(f' {text}')}" for mark, class_, text in values]
    more = {} if anchor == "start" else {"text_anchor": anchor}
    return tag("text", "\u2003".join(parts), x=x, y=y, class_=f"{_FAMILY}-text", **more)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _fact(x: float, y: float) -> str:
    return tag("circle", cx=x, cy=y, r=_MARK, class_=f"{_FAMILY}-fact")


def _scenario(x: float, y: float) -> str:
    far = number(_MARK + 1)
    d = f"M{number(x)} {number(y)}m0 -{far}l{far} {far}l-{far} {far}l-{far} -{far}z"
    return tag("path", d=d, class_=f"{_FAMILY}-scenario")


def _flip(x: float, y: float) -> str:
    return tag("path", d=f"M{number(x)} {number(y - _BAR / 2 - 2)}v{number(_BAR + 4)}", class_=f"{_FAMILY}-flip")


def _below(track: _BarPlace) -> list[str]:
    """Where it flips, and the ends of the range as far as there is room beside that."""
    bar, y = track.bar, track.y + _BAR + SMALL + 1
    left, right = bar.ends
    small, parts = f"{_FAMILY}-small", []
    taken: list[tuple[float, float]] = []
    for bits in bar.flips:
        text = bar.told_flip(bits)
        half = width(text, SMALL) / 2
        middle = min(max(track.at(bits), track.x + half), track.x + track.wide - half)
        if all(middle + half < begin or end < middle - half for begin, end in taken):
            taken.append((middle - half - 8, middle + half + 8))
            parts.append(_label(text, middle, y, f"{small} {_FAMILY}-flips", anchor="middle"))
    magnitude = "by magnitude" if bar.axis.scale == "by magnitude" else ""
    begin, end = track.x, track.x + track.wide
    for text, at, anchor in ((left, begin, "start"), (right, end, "end"), (magnitude, (begin + end) / 2, "middle")):
        wide = width(text, SMALL)
        start = {"start": at, "end": at - wide, "middle": at - wide / 2}[anchor]
        if text and all(start + wide < first or last < start for first, last in taken):
            taken.append((start - 8, start + wide + 8))
            parts.append(_label(text, at, y, f"{small} {_FAMILY}-dim", anchor=anchor))
    return parts
