"""SVG elements as text.

>>> tag("circle", cx=1.0, cy=2.25, r=3, stroke_width=0.5)
'<circle cx="1" cy="2.25" r="3" stroke-width="0.5"/>'
>>> tag("g", title("a < b"), role="img", aria_label='"a"')
'<g role="img" aria-label="&quot;a&quot;"><title>a &lt; b</title></g>'
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Final, final

from msgspec import Struct

from soid.visible_text import visible

_CHARACTER: Final = 0.58  # the mean width of a character, relative to the font's size
_LEAST: Final = 3  # characters of a text that was cut
_BOLD: Final = 1.15  # the factor for bold text


@final
class Rectangle(Struct, frozen=True):
    """A rectangle of a drawing, in px."""

    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2

    def grown(self, by: float) -> Rectangle:
        """With so many px more on each side."""
        return Rectangle(self.x - by, self.y - by, self.width + 2 * by, self.height + 2 * by)

    def overlap(self, other: Rectangle) -> float:
        across = min(self.x + self.width, other.x + other.width) - max(self.x, other.x)
        down = min(self.y + self.height, other.y + other.height) - max(self.y, other.y)
        return max(across, 0.0) * max(down, 0.0)

    def holds(self, other: Rectangle) -> bool:
        """Whether another one lies inside."""
        return self.overlap(other) >= other.width * other.height * (1 - 1e-9)


def around(points: Iterable[tuple[float, float]]) -> Rectangle:
    """The least rectangle with all points."""
    across, down = zip(*points, strict=True)
    return Rectangle(min(across), min(down), max(across) - min(across), max(down) - min(down))


def tag(name: str, *content: str, **attributes: str | float) -> str:
    """An element. The content is SVG; in names of attributes, an underscore stands for a dash."""
    written = "".join(f' {_name(key)}="{_value(value)}"' for key, value in attributes.items())
    inside = "".join(content)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def _name(key: str) -> str:
    return key if key == "viewBox" else key.rstrip("_").replace("_", "-")


def _value(value: str | float) -> str:
    return plain(value).replace('"', "&quot;") if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """The number with as many digits as are visible in a drawing."""
    return f"{round(value, 2) + 0.0:g}" if abs(value) < 1e5 else f"{value:.0f}"


def plain(text: str) -> str:
    """Text, escaped for XML; characters that deceive, or that XML does not allow, are written as their code points."""
    return visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def title(text: str) -> str:
    """A title: browsers show it as a tooltip, and screen readers say it."""
    return tag("title", plain(text))


def document(wide: float, high: float, heading: str, *parts: str, said: str = "", **attributes: str | float) -> str:
    """A complete drawing, its size in px; `said` is its description for screen readers."""
    described = {"role": "graphics-document document", "aria_label": said} if said else {}
    return tag(
        "svg",
        title(heading),
        tag("desc", plain(said)) if said else "",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(wide)} {number(high)}",
        **attributes,
        **described,
    )


def sheet(wide: float, high: float, heading: str, said: str, family: str, head: str, *parts: str) -> str:
    """A drawing on paper, in its own size; `head` has its styles and definitions, whose classes begin with `family`."""
    paper = tag("rect", width=wide, height=high, class_=f"{family}-paper")
    return document(wide, high, heading, head, paper, *parts, said=said, width=wide, height=high)


def label(text: str, x: float, y: float, class_: str = "", *, anchor: str = "start", family: str = "soid") -> str:
    """A line of text; `family` is the prefix of the style's class, so that drawings in one page can differ."""
    more = {} if anchor == "start" else {"text_anchor": anchor}
    return written(text, x, y, class_=f"{family}-text {class_}".rstrip(), **more)


def written(text: str, x: float, y: float, **attributes: str | float) -> str:
    """A line of text, styled by attributes."""
    return tag("text", plain(text), x=x, y=y, **attributes)


def chart(wide: float, high: float, heading: str, *parts: str) -> str:
    """A document with a white background and without a style sheet; each part is on its own line."""
    paper = tag("rect", width=wide, height=high, fill="white")
    lines = "\n".join(("", paper, *parts, ""))
    return document(wide, high, heading, lines, font_family="sans-serif", font_size=12) + "\n"


def width(text: str, size: float, *, bold: bool = False) -> float:
    """The approximate width of a text: the font cannot be measured here."""
    return len(text) * size * _CHARACTER * (_BOLD if bold else 1.0)


def shortened(text: str, room: float, size: float, *, bold: bool = False) -> str:
    """A text that fits, by the approximate width of characters; what is cut is marked. Empty if nothing fits.

    >>> shortened("the way of arrival", 60.0, 11.0), shortened("the age", 60.0, 11.0), shortened("the age", 9.0, 11.0)
    ('the way…', 'the age', '')
    """
    columns = int(room / width("x", size, bold=bold))
    if len(text) <= columns:
        return text
    return f"{text[: columns - 1].rstrip()}…" if columns > _LEAST else ""


def wrapped(text: str, room: float, size: float) -> list[str]:
    """A text in lines of at most `room` px, by the approximate width of characters; a longer word is broken."""
    columns = max(int(room / (size * _CHARACTER)), 20)
    return textwrap.wrap(text, columns, break_on_hyphens=False)
