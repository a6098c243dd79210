"""The colours of a map, for light and dark, and a pattern for each region, so that colour is not needed."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

from soid.mapping.claims import ClaimKind, RegionLabel
from soid.scene.vector.elements import tag
from soid.scene.vector.style import Theme, fonts, themed

_SHAPES: Final = f"""
{fonts("sm")}
.sm-region {{ shape-rendering: crispEdges }}
.sm-mark {{ fill: none; stroke-width: 1; stroke-opacity: .45; shape-rendering: auto }}
.sm-thick {{ stroke-width: 1.6; stroke-opacity: 1 }}
.sm-broad {{ stroke-width: 4; stroke-opacity: .4; shape-rendering: crispEdges }}
.sm-edge {{ fill: none; stroke-width: 1 }}
.sm-axis {{ fill: none; stroke-width: .8 }}
.sm-fact {{ stroke-width: 2 }}
.sm-line {{ fill: none; stroke-width: 1; stroke-dasharray: 3 2.5 }}
"""

_COLOURS: Final = (
    (".sm-paper", "fill", "#ffffff", "#15181c"),
    (".sm-ground", "fill", "#f1f1ee", "#20252b"),
    (".sm-text", "fill", "#1b1f24", "#e9ebee"),
    (".sm-dim", "fill", "#565d66", "#a5adb7"),
    (".sm-edge", "stroke", "#8b9199", "#59616b"),
    (".sm-axis", "stroke", "#8b9199", "#6d757f"),
    (".sm-mark", "stroke", "#5d656f", "#8d97a3"),
    (".sm-fact", "fill", "#1b1f24", "#ffffff"),
    (".sm-fact", "stroke", "#ffffff", "#15181c"),
    (".sm-line", "stroke", "#1b1f24", "#e9ebee"),
    (".sm-card", "fill", "#ffffff", "#15181c"),
    (".sm-0", "fill", "#bccfe8", "#2b4669"),
    (".sm-1", "fill", "#efcfa9", "#6a451d"),
    (".sm-2", "fill", "#c6dfba", "#31532b"),
    (".sm-3", "fill", "#dac9e8", "#4c3763"),
    (".sm-4", "fill", "#b6dcdc", "#1f5252"),
    (".sm-5", "fill", "#ece1a0", "#5b521b"),
    (".sm-fails", "fill", "#efb4ac", "#6f2a23"),
    (".sm-undecided", "fill", "#d3d6da", "#444b54"),
    (".sm-depends", "fill", "#ffffff", "#15181c"),
    (".sm-open", "fill", "#ffffff", "#15181c"),
)

_DECIDED: Final = 6  # colours for decisions

#: for decisions: the lines that are drawn over the colour, in a square of eight px
_PATTERNS: Final = (
    "",
    "M-2 2L2 -2M0 8L8 0M6 10L10 6",
    "M4 3.5v1",
    "M-2 6L2 10M0 0L8 8M6 -2L10 2",
    "M0 4H8",
    "M4 0V8",
)
_LOOKS: Final = {
    ClaimKind.FAILS: ("sm-fails", "M0 0L8 8M8 0L0 8"),
    ClaimKind.UNDECIDED: ("sm-undecided", "M0 2Q2 0 4 2T8 2M0 6Q2 4 4 6T8 6"),
    ClaimKind.DEPENDS: ("sm-depends", "M0 2H4M4 6H8"),
    ClaimKind.OPEN: ("sm-open", "M1 1h.9M5 5h.9"),
}


def style(theme: Theme) -> str:
    """The style sheet; `auto` follows the reader's setting of light or dark, and paper is always light."""
    return themed(_SHAPES, _COLOURS, theme)


def looks(labels: Sequence[RegionLabel]) -> list[tuple[str, str]]:
    """For each label the class of its colour and the lines of its pattern; up to 36 decisions look different."""
    numbers = itertools.count()
    return [_LOOKS.get(label.kind) or _decided(next(numbers)) for label in labels]


def _decided(number: int) -> tuple[str, str]:
    turn = number // _DECIDED
    return f"sm-{number % _DECIDED}", _PATTERNS[(number + turn) % len(_PATTERNS)]


def pattern(name: str, colour: str, lines: str) -> str:
    square = tag("rect", width=8, height=8, class_=colour)
    thick = " sm-thick" if colour in ("sm-fails", "sm-open") or lines == _PATTERNS[2] else ""
    thick = " sm-broad" if colour == "sm-depends" else thick
    drawn = tag("path", d=lines, class_=f"sm-mark{thick}") if lines else ""
    return tag("pattern", square, drawn, id=name, width=8, height=8, patternUnits="userSpaceOnUse")
