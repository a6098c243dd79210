"""The ways of the fact and of a scenario as SVG: trees with both ways in them, or the places where two runs differ.

The fact's way is a plain line with a dot, the scenario's a broken one with a diamond; a side that neither
takes is a stub. Texts are wrapped into their boxes, and are whole in the titles.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.explanation.ways.told_ways import BothWays, BranchWays, TreeWay, TreeWays, Turn, WayRow
from soid.explanation.ways.way_words import described, heading_of, rest_told, signed, summary, tree_heading, yes
from soid.scene.vector.elements import document, label, number, sheet, shortened, tag, title, wrapped
from soid.scene.vector.style import LARGE, SIZE, SMALL, Theme, fonts, themed

_FAMILY: Final = "sw"
_WIDE: Final = 640.0  # px, in a drawing of its own
_MARGIN: Final = 18.0
_LINE: Final = 15.0
_PAD: Final = 5.0  # px above and below the text of a box
_STEM: Final = 17.0  # px between two boxes
_GAP: Final = 14.0  # px between the two ways
_SHARED: Final = 4  # tests before the ways part that are drawn
_FACT, _SCENARIO = "fact", "scenario"

_label: Final = functools.partial(label, family=_FAMILY)

_SHAPES: Final = f"""
{fonts(_FAMILY)}
.{_FAMILY}-code {{ font-family: ui-monospace, "DejaVu Sans Mono", monospace }}
.{_FAMILY}-box {{ stroke-width: 1 }}
.{_FAMILY}-parting {{ stroke-width: 2 }}
.{_FAMILY}-fact-way {{ fill: none; stroke-width: 2 }}
.{_FAMILY}-scenario-way {{ fill: none; stroke-width: 2; stroke-dasharray: 5 3 }}
.{_FAMILY}-stub {{ fill: none; stroke-width: 1; stroke-dasharray: 1.5 2.5 }}
.{_FAMILY}-dot {{ stroke-width: 1.5 }}
"""
_COLOURS: Final = (
    (f".{_FAMILY}-paper", "fill", "#ffffff", "#15181c"),
    (f".{_FAMILY}-text", "fill", "#1b1f24", "#e9ebee"),
    (f".{_FAMILY}-dim", "fill", "#565d66", "#a5adb7"),
    (f".{_FAMILY}-box", "fill", "#f3f3ef", "#20252b"),
    (f".{_FAMILY}-box", "stroke", "#8b9199", "#59616b"),
    (f".{_FAMILY}-parting", "fill", "#fdf1e2", "#3a2a17"),
    (f".{_FAMILY}-parting", "stroke", "#a34b12", "#f2a45c"),
    (f".{_FAMILY}-fact-way", "stroke", "#1b1f24", "#e9ebee"),
    (f".{_FAMILY}-scenario-way", "stroke", "#6f3a9e", "#d9b5ff"),
    (f".{_FAMILY}-stub", "stroke", "#8b9199", "#6d757f"),
    (f".{_FAMILY}-fact", "fill", "#1b1f24", "#ffffff"),
    (f".{_FAMILY}-scenario", "fill", "#6f3a9e", "#d9b5ff"),
)


def style(theme: Theme) -> str:
    """The style sheet; `auto` follows the reader's choice of light or dark."""
    return themed(_SHAPES, _COLOURS, theme)


def svg(ways: BothWays, *, theme: Theme = "auto") -> str:
    """The drawing as a document of its own."""
    heading = _label(heading_of(ways), _MARGIN, _MARGIN + LARGE, f"{_FAMILY}-large")
    drawn, down = _drawn(ways, _MARGIN, _MARGIN + LARGE + 10, _WIDE - 2 * _MARGIN)
    return sheet(_WIDE, down + _MARGIN, heading_of(ways), described(ways), _FAMILY, style(theme), heading, drawn)


def panel(ways: BothWays, *, wide: float) -> str:
    """The drawing as a part of a page, which has the heading and the style."""
    drawn, down = _drawn(ways, 1.0, 0.0, wide - 2.0)
    return document(wide, down, heading_of(ways), drawn, said=described(ways), width=wide, height=down)


def _drawn(ways: BothWays, left: float, top: float, room: float) -> tuple[str, float]:
    """The drawing, and the y at which it ends."""
    marks, y = _legend(left, top)
    paragraph, y = _paragraph(summary(ways), left, y, room)
    parts = [marks, paragraph]
    if isinstance(ways, TreeWays):
        for tree in ways.trees:
            made, y = _tree(tree, ways, left, y + 6, room)
            parts.append(made)
    else:
        made, y = _rows(ways, left, y + 4, room)
        parts.append(made)
    rest, y = _paragraph(rest_told(ways), left, y, room)
    return "".join((*parts, rest)), y


def _legend(left: float, top: float) -> tuple[str, float]:
    fact = f"{_mark(_FACT)} in fact"
    scenario = f"{_mark(_SCENARIO)} in the scenario"
    return _text(f"{fact}\u2003{scenario}", left, top + SMALL, "small"), top + 20.0


def _mark(side: str) -> str:
    return tag("tspan", "●" if side == _FACT else "◆", class_=f"{_FAMILY}-{side}")


def _text(content: str, x: float, y: float, *classes: str, anchor: str = "start") -> str:
    """A line of text whose content is markup."""
    more = {} if anchor == "start" else {"text_anchor": anchor}
    named = " ".join((f"{_FAMILY}-text", *(f"{_FAMILY}-{each}" for each in classes)))
    return tag("text", content, x=x, y=y, class_=named, **more)


def _paragraph(text: str, left: float, y: float, room: float) -> tuple[str, float]:
    lines = wrapped(text, room, 1.1 * SIZE)
    drawn = [_label(line, left, y + _LINE * (row + 1) - 3) for row, line in enumerate(lines)]
    return "".join(drawn), y + _LINE * len(lines) + (4 if lines else 0)


# --- a tree ---------------------------------------------------------------------------------------------------


@final
class _Column(Struct, frozen=True):
    """Where a way goes down."""

    x: float
    wide: float
    sides: tuple[str, ...]  # whose way it is

    @property
    def middle(self) -> float:
        return self.x + self.wide / 2


def _tree(tree: TreeWay, ways: TreeWays, left: float, top: float, room: float) -> tuple[str, float]:
    """The tests that both pass alike, the one at which they part, and the two ways from there."""
    heading, y = _paragraph(tree_heading(tree, ways), left, top, room)
    parts, shared = [heading], tree.shared
    both = _Column(left + room * 0.1, room * 0.8, (_FACT, _SCENARIO))
    if len(shared) > _SHARED:
        said = f"{len(shared) - _SHARED} tests before these, which both pass alike"
        parts.append(_label(said, both.middle, y + SMALL, f"{_FAMILY}-small {_FAMILY}-dim", anchor="middle"))
        y += _LINE + 3
    for turn in shared[-_SHARED:]:
        drawn, y = _turn(turn, both, y)
        parts.append(drawn)
    drawn, y = _box(tree.test, both, y, "parting")
    parts.append(drawn)
    half = (room - _GAP) / 2
    ends = []
    for side, turns, x, holds, leaf in (
        (_FACT, tree.fact, left, tree.holds[0], tree.leaves[0]),
        (_SCENARIO, tree.scenario, left + half + _GAP, tree.holds[1], tree.leaves[1]),
    ):
        column = _Column(x, half, (side,))
        drawn, down = _branch(column, both.middle, y, holds, turns, leaf)
        parts.append(drawn)
        ends.append(down)
    return tag("g", title(tree_heading(tree, ways)), *parts), max(ends) + 8


def _branch(
    column: _Column, begin: float, y: float, holds: bool, turns: Sequence[Turn], leaf: float
) -> tuple[str, float]:
    """One of the two ways, from the parting to its leaf."""
    (side,) = column.sides
    down = y + 1.4 * _STEM
    d = f"M{number(begin)} {number(y)}L{number(column.middle)} {number(down)}"
    parts = [tag("path", d=d, class_=f"{_FAMILY}-{side}-way")]
    at = (begin + 2 * column.middle) / 3
    outside = -8 if column.middle < begin else 8
    said = f"{_mark(side)} {yes(holds)}"
    parts.append(_text(said, at + outside, y + 9, "small", anchor="end" if outside < 0 else "start"))
    for turn in turns:
        drawn, down = _turn(turn, column, down)
        parts.append(drawn)
    drawn, down = _box(f"adds {signed(leaf)}", column, down, "box", bold=True)
    return "".join((*parts, drawn)), down


def _turn(turn: Turn, column: _Column, y: float) -> tuple[str, float]:
    """A test and the line to the next one; the side that is not taken is a stub."""
    drawn, y = _box(turn.test, column, y, "box")
    x, parts = column.middle, [drawn]
    apart = 2.5 * (len(column.sides) - 1)
    for place, side in enumerate(column.sides):
        at = x + apart * (2 * place - (len(column.sides) - 1))
        parts.append(tag("path", d=f"M{number(at)} {number(y)}v{number(_STEM)}", class_=f"{_FAMILY}-{side}-way"))
    parts.append(_label(yes(turn.holds), x - 9, y + 12, f"{_FAMILY}-small", anchor="end"))
    stub = f"M{number(x + 26)} {number(y)}l14 9"
    parts.append(tag("path", d=stub, class_=f"{_FAMILY}-stub"))
    parts.append(_label(f"{yes(not turn.holds)} …", x + 44, y + 13, f"{_FAMILY}-small {_FAMILY}-dim"))
    return "".join(parts), y + _STEM


def _box(text: str, column: _Column, y: float, look: str, *, bold: bool = False) -> tuple[str, float]:
    lines = wrapped(text, column.wide - 14, 1.12 * SMALL)
    high = _LINE * len(lines) + 2 * _PAD - 3
    shape = tag("rect", x=column.x, y=y, width=column.wide, height=high, rx=4, class_=f"{_FAMILY}-{look}")
    classes = f"{_FAMILY}-small{f' {_FAMILY}-bold' if bold else ''}"
    said = [
        _label(line, column.middle, y + _PAD + _LINE * row + 9, classes, anchor="middle")
        for row, line in enumerate(lines)
    ]
    return tag("g", title(text), shape, *said), y + high


# --- branches -------------------------------------------------------------------------------------------------


def _rows(ways: BranchWays, left: float, top: float, room: float) -> tuple[str, float]:
    """A box for each place, with a line for each of the two; what is alike between them is said."""
    parts, y = [], top
    for row in ways.rows:
        if row.alike:
            said = f"{row.alike} alike for both"
            parts.append(_label(said, left + 34, y + 10, f"{_FAMILY}-small {_FAMILY}-dim"))
            y += _LINE
        drawn, down = _row(row, left + 28, y, room - 28)
        parts += [drawn, *_rails(row, left, y, down)]
        y = down + 7
    if ways.alike and ways.rows:
        parts.append(_label(f"{ways.alike} alike for both", left + 34, y + 8, f"{_FAMILY}-small {_FAMILY}-dim"))
        y += _LINE
    return "".join(parts), y


def _row(row: WayRow, x: float, y: float, room: float) -> tuple[str, float]:
    inside, code = room - 16, f"{_FAMILY}-small {_FAMILY}-code"
    parts, down = [_label(shortened(row.where, inside, SMALL), x + 8, y + 13, f"{_FAMILY}-small {_FAMILY}-dim")], y + 16
    for line in wrapped(row.text, inside, 1.1 * SMALL):
        parts.append(_label(line, x + 8, down + 11, code))
        down += _LINE
    for side, told in ((_FACT, row.fact), (_SCENARIO, row.scenario)):
        for number_, line in enumerate(wrapped(told or "does not come here", inside - 14, 1.1 * SMALL)):
            if number_ == 0:
                parts.append(_text(_mark(side), x + 8, down + 11, "small"))
            parts.append(_label(line, x + 22, down + 11, f"{_FAMILY}-small"))
            down += _LINE
    high = down - y + 4
    shape = tag("rect", x=x, y=y, width=room, height=high, rx=4, class_=f"{_FAMILY}-box")
    return tag("g", title(f"{row.where} {row.text}"), shape, *parts), y + high


def _rails(row: WayRow, left: float, y: float, down: float) -> list[str]:
    """The two ways beside a box: a way that comes here has its mark."""
    parts = []
    for place, (side, told) in enumerate(((_FACT, row.fact), (_SCENARIO, row.scenario))):
        x = left + 6 + 12 * place
        if told:
            d = f"M{number(x)} {number(y - 4)}V{number(down + 4)}"
            parts.append(tag("path", d=d, class_=f"{_FAMILY}-{side}-way"))
            parts.append(_text(_mark(side), x, (y + down) / 2 + 4, "small", anchor="middle"))
    return parts
