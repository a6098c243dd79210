"""A log's overview as SVG: curves, bands, the numbers of the steps, and the moments that are investigated.

A curve is filled from the least to the greatest value of each cell. A band has its value in it, where there is room; a
dark bar means several changes in one cell. What is in a band, and where, is also said by its title. Colours follow the
reader's choice of light or dark, and are never the only sign of anything.

The form for a page (`log_figure`) is as wide as the page has room, with names and figures above the tracks. The page
finds a track by `data-track` (its name), and writes its value at the moment into `data-now`. It turns a place into a
step by the drawing's `data-left`, `data-width`, `data-first` and `data-last`: a step is as wide as all others. If the
log has a clock, times stand below the numbers of the steps, and the page writes those of the moment into `data-moment`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby, islice
from typing import Final, final

from msgspec import Struct

from soid.program.types import show
from soid.scenario.log_overview import LogOverview
from soid.scenario.log_tracks import Band, BandTrack, Curve, CurveCell, CurveExtreme, Track, band_label, band_values
from soid.scene.vector.elements import document, label, number, sheet, shortened, tag, title, width
from soid.scene.vector.style import SIZE, SMALL, Theme, fonts, themed

#: how many cells an overview needs for this drawing: one for two px
SVG_CELLS: Final = 360

_FAMILY: Final = "soid-log"
_MARGIN: Final = 16.0  # px
_PLOT: Final = 720.0  # the width of the tracks,
_FIGURES: Final = 120.0  # and of the figures beside them
_CURVE: Final = 44.0  # the height of a curve,
_BAND: Final = 22.0  # and of a band
_GAP: Final = 10.0
_AXIS: Final = 24.0
_TIMES: Final = 15.0  # the height of a line of times below the numbers
_MOMENT: Final = 16.0  # the height of a line of moments' names
_ABOVE: Final = 17.0  # the height of a name and figures above a track
_NOW: Final = 90.0  # px for a value at the moment
_INSET: Final = 10.0  # px beside the tracks of a page: half of the slider's thumb, so that both agree
_TICK: Final = 80.0  # px between two numbers, at least
_VALUES: Final = 6  # values with different colours
_SAID: Final = 20  # changes that are said to a screen reader
_CAPITALS: Final = 1.25  # times as wide as letters are on average: what labels are often made of

_SHAPES: Final = f"""
{fonts(_FAMILY)}
.{_FAMILY}-curve {{ stroke-width: 1.2; stroke-linejoin: round; fill-opacity: .4 }}
.{_FAMILY}-band {{ stroke-width: .8 }}
.{_FAMILY}-rule {{ fill: none; stroke-width: .8 }}
.{_FAMILY}-moment {{ fill: none; stroke-width: 1.4; stroke-dasharray: 4 3 }}
.{_FAMILY}-cursor {{ fill: none; stroke-width: 1.8 }}
.{_FAMILY}-halo {{ paint-order: stroke; stroke-width: 4px; stroke-linejoin: round }}
"""
_COLOURS: Final = (
    (f".{_FAMILY}-paper", "fill", "#ffffff", "#15181c"),
    (f".{_FAMILY}-text", "fill", "#1b1f24", "#e9ebee"),
    (f".{_FAMILY}-dim", "fill", "#565d66", "#a5adb7"),
    (f".{_FAMILY}-card", "fill", "#f6f6f3", "#1d2126"),
    (f".{_FAMILY}-curve", "fill", "#1d5a9e", "#7db8ff"),
    (f".{_FAMILY}-curve", "stroke", "#1d5a9e", "#7db8ff"),
    (f".{_FAMILY}-odd", "fill", "#b3261e", "#ff8a80"),
    (f".{_FAMILY}-band", "stroke", "#565d66", "#a5adb7"),
    (f".{_FAMILY}-several", "fill", "#3a4048", "#d5d9de"),
    (f".{_FAMILY}-rule", "stroke", "#8b9199", "#6d757f"),
    (f".{_FAMILY}-moment", "stroke", "#6f3a9e", "#d9b5ff"),
    (f".{_FAMILY}-called", "fill", "#6f3a9e", "#d9b5ff"),
    (f".{_FAMILY}-cursor", "stroke", "#1b1f24", "#e9ebee"),
    (f".{_FAMILY}-halo", "stroke", "#ffffff", "#15181c"),
    (f".{_FAMILY}-value-0", "fill", "#d6e6f7", "#1f3a57"),
    (f".{_FAMILY}-value-1", "fill", "#fbe7c8", "#4d3a16"),
    (f".{_FAMILY}-value-2", "fill", "#eadcf5", "#3f2b52"),
    (f".{_FAMILY}-value-3", "fill", "#d8eed6", "#23422a"),
    (f".{_FAMILY}-value-4", "fill", "#f8d9d6", "#532a28"),
    (f".{_FAMILY}-value-5", "fill", "#e4e4df", "#33383e"),
)


def style(theme: Theme) -> str:
    """The style sheet; `auto` follows the reader's choice of light or dark."""
    return themed(_SHAPES, _COLOURS, theme)


#: what a track's variable is called, by the track's name
Called = Callable[[str], str]


def log_svg(
    view: LogOverview, moments: Mapping[int, str], *, heading: str, called: Called = str, theme: Theme = "auto"
) -> str:
    """The drawing. `moments` are the steps to mark, and what each is called; those outside of the view are left out."""
    tracks = tuple(track for track in view.tracks if view.constant(track) is None)
    names = max((width(_titled(track, called), SIZE) for track in tracks), default=0.0)
    plot = _LogPlot(view, tracks, _within(view, moments), called, _MARGIN, _MARGIN + names + _GAP, _PLOT, _FIGURES)
    wide, high, drawn = plot.written()
    return sheet(wide, high, heading, plot.said, _FAMILY, style(theme), drawn)


def log_figure(
    view: LogOverview, moments: Mapping[int, str], *, heading: str, room: float, called: Called = str
) -> str:
    """The drawing for a page that has `style`: `room` px wide, with names above the tracks.

    What is the same at all steps is drawn too, so that nothing jumps where the page shows another part of the log.
    """
    marked = _within(view, moments)
    plot = _LogPlot(view, view.tracks, marked, called, 2.0, _INSET, room - 2 * _INSET, _INSET, above=_ABOVE)
    wide, high, drawn = plot.written()
    return document(wide, high, heading, drawn, said=plot.said, width=wide, height=high)


def _titled(track: Track, called: Called) -> str:
    """What it is called, and that it was not logged and follows, at some steps or at all."""
    return f"{called(track.name)} (derived)" if track.derived else called(track.name)


def _within(view: LogOverview, moments: Mapping[int, str]) -> dict[int, str]:
    return {step: moments[step] for step in sorted(moments) if view.first <= step <= view.last}


@final
class _LogPlot(Struct, frozen=True):
    """Lays out the tracks, from top to bottom."""

    view: LogOverview
    tracks: tuple[Track, ...]
    moments: Mapping[int, str]
    called: Called
    margin: float  # px
    left: float  # where the tracks begin
    across: float  # their width
    right: float  # the room beside them
    above: float = 0.0  # the height of a line above each track for its name and figures; 0: they stand beside it

    def written(self) -> tuple[float, float, str]:
        """Its width, its height, and the drawing."""
        places = self._called()
        top = self.margin + _MOMENT * (1 + max((row for _, row in places), default=-1))
        rows: list[str] = []
        captions: list[str] = []
        y = top
        for track in self.tracks:
            high = _BAND if isinstance(track, BandTrack) else _CURVE
            rows.append(self._row(track, y + self.above, high))
            captions.append(self._caption(track, y + self.above, high))
            y += self.above + high + _GAP
        marks = [
            self._mark(step, x, self.margin + _MOMENT * row, y)
            for step, (x, row) in zip(self.moments, places, strict=True)
        ]
        numbers = {"data_first": str(self.view.first), "data_last": str(self.view.last)}
        place = {"data_left": self.left, "data_width": self.across, "data_top": top, "data_bottom": y}
        cursor = (
            tag("path", d=f"M0 {number(top)}V{number(y)}", class_=f"{_FAMILY}-cursor", data_cursor="")
            if self.above
            else ""
        )
        drawn = tag("g", *rows, *self._axis(y), *marks, cursor, *captions, *self._moment(y), **place, **numbers)
        below = _AXIS + _TIMES * self._is_timed * (2 if self.above else 1)
        return self.left + self.across + self.right, y + below + self.margin, drawn

    @property
    def _is_timed(self) -> bool:
        return bool(self.view.times.seconds)

    @property
    def said(self) -> str:
        """The drawing in words, for screen readers: where decisions changed, and what is marked."""
        first, count = islice(self.view.changes(), _SAID), self.view.change_count
        changes = [f"{self.called(each.name)} changes at step {each.step}" for each in first]
        more = [f"{count - _SAID} more changes"] if count > _SAID else []
        marked = [f"{name} is step {step}" for step, name in self.moments.items()]
        return "; ".join([f"Steps {self.view.first} to {self.view.last}", *changes, *more, *marked])

    def _x(self, step: int) -> float:
        """Where a step begins."""
        return self.left + (step - self.view.first) / (self.view.last - self.view.first + 1) * self.across

    def _row(self, track: Track, y: float, high: float) -> str:
        """A track on its card."""
        card = tag("rect", x=self.left, y=y, width=self.across, height=high, class_=f"{_FAMILY}-card")
        drawn = self._bands(track, y) if isinstance(track, BandTrack) else self._curve(track, y)
        return tag("g", card, *drawn, data_track=track.name)

    def _caption(self, track: Track, y: float, high: float) -> str:
        """Its name, its unit and its figures; they are drawn over what crosses them."""
        return tag("g", *(self._named_above(track, y - 5) if self.above else self._named_beside(track, y, high)))

    def _named_beside(self, track: Track, y: float, high: float) -> list[str]:
        unit = track.variable.measure
        named = [_text(_titled(track, self.called), self.margin, y + high / 2 + (0 if unit else SIZE / 3))]
        if unit:
            named.append(_text(unit, self.margin, y + high / 2 + SIZE, "small", "dim"))
        if isinstance(track, Curve):
            figures = (track.greatest, y + SMALL), (track.least, y + _CURVE)
            x = self.left + self.across + _GAP
            named += [_text(_figure(track, extreme), x, at, "small", "dim") for extreme, at in figures if extreme]
        return named

    def _named_above(self, track: Track, y: float) -> list[str]:
        """Its name, a place for its value at the moment, and its figures as far as there is room."""
        variable, whole = track.variable, _titled(track, self.called)
        said = shortened(whole, self.across - _GAP - _NOW, SIZE)
        after = self.left + width(said, SIZE) + _GAP
        halo = f"{_FAMILY}-text {_FAMILY}-halo"
        now = tag("text", " ", x=after, y=y, class_=f"{halo} {_FAMILY}-bold", data_now=track.name)
        named = [tag("g", title(whole), _text(said, self.left, y, "halo")), now]
        if isinstance(track, Curve) and track.least is not None and track.greatest is not None:
            ends = track.least, track.greatest
            shown = (show(variable.type, end.bits) for end in ends)
            long, short = " … ".join(_figure(track, end) for end in ends), " … ".join(shown)
            room = self.left + self.across - after - _NOW
            texts = (long, short) if self.view.constant(track) is None else ("the same at all of these steps",)
            fitting = next((text for text in texts if width(text, SMALL) <= room), "")
            end = self.left + self.across
            small = f"{_FAMILY}-small {_FAMILY}-dim {_FAMILY}-halo"
            named.append(label(fitting, end, y, small, anchor="end", family=_FAMILY))
        return named

    # --- curves -----------------------------------------------------------------------------------------------

    def _curve(self, curve: Curve, y: float) -> list[str]:
        """Filled between the extremes of each cell; one without a number is a gap, a triangle is no finite one."""
        parts: list[str] = []
        for empty, run in groupby(enumerate(curve.cells), key=lambda each: each[1].least is None):
            if not empty:
                parts.append(self._area(curve, list(run), y))
        for place, cell in enumerate(curve.cells):
            if cell.not_finite:
                x = self._x(self.view.numbers_of(place)[0])
                said = title(f"not finite at {cell.not_finite} of {cell.steps} steps from {self._numbers(place)}")
                parts.append(tag("path", said, d=f"M{number(x)} {number(y)}l4 7h-8z", class_=f"{_FAMILY}-odd"))
        return parts

    def _area(self, curve: Curve, cells: list[tuple[int, CurveCell]], y: float) -> str:
        above: list[str] = []
        below: list[str] = []
        for place, cell in cells:
            assert cell.least is not None and cell.greatest is not None
            first, last = self.view.numbers_of(place)
            left, right = number(self._x(first)), number(self._x(last + 1))
            high, low = (number(y + _CURVE * (1 - curve.height(bits))) for bits in (cell.greatest, cell.least))
            above += [f"{left} {high}", f"{right} {high}"]
            below += [f"{left} {low}", f"{right} {low}"]
        return tag("path", d=f"M{'L'.join([*above, *reversed(below)])}z", class_=f"{_FAMILY}-curve")

    # --- bands ------------------------------------------------------------------------------------------------

    def _bands(self, track: BandTrack, y: float) -> list[str]:
        """Several that begin in one cell are one dark bar; so a drawing has no more parts than cells."""
        values = band_values(track)
        parts: list[str] = []
        for place, run in groupby(track.bands, key=lambda band: self.view.cell_of(band.first)):
            begun = list(run)
            last, left = begun[-1], self._x(begun[-1].first)
            if len(begun) > 1:
                left = self._x(self.view.numbers_of(place)[1] + 1)
                start = self._x(begun[0].first)
                said = title(f"{self.called(track.name)}: {len(begun)} changes in steps {self._numbers(place)}")
                size = {"x": start, "y": y, "width": left - start, "height": _BAND}
                parts.append(tag("rect", said, **size, class_=f"{_FAMILY}-several"))
            right = self._x(last.last + 1)
            if last.bits is not None and right > left:
                parts.append(self._band(track, last, (left, right, y), values.index(last.bits)))
        return parts

    def _band(self, track: BandTrack, band: Band, place: tuple[float, float, float], value: int) -> str:
        assert band.bits is not None
        left, right, y = place
        text = band_label(track, band)
        shown = show(track.variable.type, band.bits)
        said = title(f"{self.called(track.name)} = {shown}, steps {band.first} to {band.last}")
        colour = f"{_FAMILY}-band {_FAMILY}-value-{value % _VALUES}"
        parts = [said, tag("rect", x=left, y=y, width=right - left, height=_BAND, class_=colour)]
        if width(text, SMALL) * (_CAPITALS if text.isupper() else 1.0) + 6 < right - left:
            parts.append(_text(text, left + 4, y + _BAND / 2 + SMALL / 3, "small"))
        return tag("g", *parts)

    def _numbers(self, place: int) -> str:
        first, last = self.view.numbers_of(place)
        return f"{first} to {last}"

    # --- steps and moments ------------------------------------------------------------------------------------

    def _axis(self, y: float) -> list[str]:
        line = tag("path", d=f"M{number(self.left)} {number(y)}h{number(self.across)}", class_=f"{_FAMILY}-rule")
        end = self.left + self.across + self.right
        ticks = [(step, self._x(step)) for step in self.view.round_numbers(max(int(self.across / _TICK), 1))]
        shown = [(step, x) for step, x in ticks if x + width(str(step), SMALL) <= end]
        texts = [f"step {step}" if not at else str(step) for at, (step, _) in enumerate(shown)]
        numbers = [_text(text, x, y + SIZE + 2, "small", "dim") for text, (_, x) in zip(texts, shown, strict=True)]
        nexts = [*(x for _, x in shown[1:]), end]
        times = [(self.view.times.words(step), x, then) for (step, x), then in zip(shown, nexts, strict=True)]
        fitting = [(text, x) for text, x, then in times if text and x + width(text, SMALL) <= then]
        return [line, *numbers, *(_text(text, x, y + SIZE + 2 + _TIMES, "small", "dim") for text, x in fitting)]

    def _moment(self, y: float) -> list[str]:
        """On a page, the place below the cursor for the moment's step and time."""
        if not self.above or not self._is_timed:
            return []
        classes = f"{_FAMILY}-text {_FAMILY}-small {_FAMILY}-bold"
        return [
            tag("text", " ", x=0.0, y=y + SIZE + 2 + 2 * _TIMES, class_=classes, text_anchor="middle", data_moment="")
        ]

    def _called(self) -> list[tuple[float, int]]:
        """Where the names of moments begin, and in which row each is, so that none overlaps another."""
        ends: list[float] = []
        places: list[tuple[float, int]] = []
        for step, name in self.moments.items():
            room = width(_moment_text(step, name), SMALL)
            x = min(self._x(step), self.left + self.across + self.right - room)
            row = next((row for row, end in enumerate(ends) if end < x), len(ends))
            ends[row : row + 1] = [x + room + _GAP]
            places.append((x, row))
        return places

    def _mark(self, step: int, x: float, top: float, bottom: float) -> str:
        middle = number((self._x(step) + self._x(step + 1)) / 2)
        line = tag("path", d=f"M{middle} {number(top + _MOMENT - 3)}V{number(bottom)}", class_=f"{_FAMILY}-moment")
        return tag(
            "g",
            _text(_moment_text(step, self.moments[step]), x, top + SMALL, "small", "called"),
            line,
            data_step=str(step),
        )


def _figure(curve: Curve, extreme: CurveExtreme) -> str:
    return f"{show(curve.variable.type, extreme.bits)} at {extreme.step}"


def _moment_text(step: int, name: str) -> str:
    return f"{step} {name}".rstrip()


def _text(text: str, x: float, y: float, *classes: str) -> str:
    return label(text, x, y, " ".join(f"{_FAMILY}-{each}" for each in classes), family=_FAMILY)
