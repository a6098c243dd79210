"""The style sheet: one set of colours on white, one on black; on paper always the one on white.

Every class begins with `soid-`, so that a page can hold several drawings. Colour is never the only sign of anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from soid.scene.vector.elements import tag

Theme = Literal["auto", "light", "dark"]

SMALL: Final = 11.0  # px
SIZE: Final = 12.5
LARGE: Final = 16.0

Colour = tuple[str, str, str, str]  # class, property, light value, dark value


def fonts(family: str) -> str:
    """The rules for the text of drawings whose classes begin with `family`."""
    return f"""\
.{family}-text {{ font: {SIZE}px system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif }}
.{family}-small {{ font-size: {SMALL}px }}
.{family}-large {{ font-size: {LARGE}px; font-weight: 600 }}
.{family}-bold {{ font-weight: 600 }}"""


_SHAPES: Final = f"""
{fonts("soid")}
.soid-tile {{ fill: none; stroke-width: .7 }}
.soid-edge {{ fill: none; stroke-width: 1.5 }}
.soid-lane {{ fill: none; stroke-width: 1.5; stroke-dasharray: 7 6 }}
.soid-stop {{ fill: none; stroke-width: 4 }}
.soid-body {{ stroke-width: 1.2 }}
.soid-ghost.soid-body {{ stroke-width: 1.6; stroke-dasharray: 4 2.5 }}
.soid-was {{ fill: none; stroke-width: 1.2; stroke-dasharray: 1.5 2.5 }}
.soid-way {{ fill: none; stroke-width: 1.8 }}
.soid-dimension {{ fill: none; stroke-width: 1.2 }}
.soid-leader {{ fill: none; stroke-width: .9 }}
.soid-axis {{ fill: none; stroke-width: .8 }}
.soid-glow {{ stroke-width: 2; fill: none; stroke-linecap: round }}
"""

_COLOURS: Final = (
    (".soid-paper", "fill", "#ffffff", "#15181c"),
    (".soid-card", "fill", "#f6f6f3", "#1d2126"),
    (".soid-frame", "stroke", "#8b9199", "#59616b"),
    (".soid-text", "fill", "#1b1f24", "#e9ebee"),
    (".soid-dim", "fill", "#565d66", "#a5adb7"),
    (".soid-grass", "fill", "#e7eee1", "#1b261d"),
    (".soid-road", "fill", "#c8ccd1", "#3b4149"),
    (".soid-pavement", "fill", "#eceae4", "#262a2f"),
    (".soid-stripe", "fill", "#f7f7f5", "#6d757f"),
    (".soid-obstacle", "fill", "#8d939b", "#7b838d"),
    (".soid-tile", "stroke", "#a3a9b0", "#5a636e"),
    (".soid-edge", "stroke", "#6f7780", "#9aa2ac"),
    (".soid-lane", "stroke", "#ffffff", "#aab2bc"),
    (".soid-stop", "stroke", "#ffffff", "#dfe3e8"),
    (".soid-axis", "stroke", "#8b9199", "#6d757f"),
    (".soid-leader", "stroke", "#565d66", "#a5adb7"),
    (".soid-investigated", "fill", "#1d5a9e", "#7db8ff"),
    (".soid-investigated", "stroke", "#0f3a6b", "#d3e6ff"),
    (".soid-investigated-line", "stroke", "#1d5a9e", "#7db8ff"),
    (".soid-other", "fill", "#a34b12", "#f2a45c"),
    (".soid-other", "stroke", "#6e2f06", "#ffe0c4"),
    (".soid-other-line", "stroke", "#a34b12", "#f2a45c"),
    (".soid-bystander", "fill", "#69717b", "#a3abb5"),
    (".soid-bystander", "stroke", "#414850", "#dfe3e8"),
    (".soid-bystander-line", "stroke", "#69717b", "#a3abb5"),
    (".soid-on", "fill", "#ffffff", "#10151b"),
    (".soid-glass", "fill", "#ffffff", "#10151b"),
    (".soid-ghost", "fill", "#f3eafa", "#3a2a4a"),
    (".soid-ghost", "stroke", "#6f3a9e", "#d3a9ff"),
    (".soid-ghost-line", "stroke", "#6f3a9e", "#d9b5ff"),
    (".soid-changed", "fill", "#6f3a9e", "#d9b5ff"),
    (".soid-was", "stroke", "#565d66", "#a5adb7"),
    (".soid-lamp", "fill", "#ffb000", "#ffc233"),
    (".soid-lamp", "stroke", "#6b4a00", "#4a3300"),
    (".soid-glow", "stroke", "#d98e00", "#ffc233"),
)


def style(theme: Theme) -> str:
    """The style sheet; `auto` follows the reader's choice of light or dark."""
    return themed(_SHAPES, _COLOURS, theme)


def themed(shapes: str, colours: Sequence[Colour], theme: Theme) -> str:
    """A style sheet: the rules that are the same for light and dark, and the colours of a theme."""
    light, dark = ("".join(f"{rule[0]} {{ {rule[1]}: {rule[n]} }}\n" for rule in colours) for n in (2, 3))
    chosen = {
        "light": light,
        "dark": dark,
        "auto": f"{light}@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n",
    }
    return tag("style", f"{shapes}{chosen[theme]}")
