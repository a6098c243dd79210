"""SVG elements as text.

>>> tag("circle", cx=1.0, cy=2.25, r=3, stroke_width=0.5)
'<circle cx="1" cy="2.25" r="3" stroke-width="0.5"/>'
>>> tag("g", title("a < b"), role="img", aria_label='"a"')
'<g role="img" aria-label="&quot;a&quot;"><title>a &lt; b</title></g>'
"""

from __future__ import annotations

import re
from typing import Final

CHARACTER: Final = 0.58  # of the font's size: the width of a character, on the whole
_BOLD: Final = 1.15  # times as wide

_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def tag(name: str, *content: str, **attributes: str | float) -> str:
    """An element: its content is SVG, its attributes are values; an underscore in their names stands for a dash."""
    written = "".join(f' {_name(key)}="{_value(value)}"' for key, value in attributes.items())
    inside = "".join(content)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def _name(key: str) -> str:
    return key if key == "viewBox" else key.rstrip("_").replace("_", "-")


def _value(value: str | float) -> str:
    return plain(value).replace('"', "&quot;") if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """With as many digits as can be seen."""
    return f"{round(value, 2) + 0.0:g}" if abs(value) < 1e5 else f"{value:.0f}"


def plain(text: str) -> str:
    """Text as XML has it; what XML cannot hold is replaced."""
    text = _NOT_XML.sub("\ufffd", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def title(text: str) -> str:
    """What a browser shows when the pointer rests there, and what a screen reader says."""
    return tag("title", plain(text))


def document(wide: float, high: float, heading: str, *parts: str, said: str = "", **attributes: str | float) -> str:
    """A drawing of so many px, which stands alone; `said` describes it to a person who does not see it."""
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


def label(text: str, x: float, y: float, class_: str = "", *, anchor: str = "start", family: str = "soid") -> str:
    """A line of text; drawings of different families in one page do not share their style."""
    more = {} if anchor == "start" else {"text_anchor": anchor}
    return written(text, x, y, class_=f"{family}-text {class_}".rstrip(), **more)


def written(text: str, x: float, y: float, **attributes: str | float) -> str:
    """A line of text that looks as its attributes say."""
    return tag("text", plain(text), x=x, y=y, **attributes)


def chart(wide: float, high: float, heading: str, *parts: str) -> str:
    """A document on white paper, which needs no style sheet; its parts stand on lines of their own."""
    paper = tag("rect", width=wide, height=high, fill="white")
    lines = "\n".join(("", paper, *parts, ""))
    return document(wide, high, heading, lines, font_family="sans-serif", font_size=12) + "\n"


def width(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a text is, more or less: nothing here can measure it."""
    return len(text) * size * CHARACTER * (_BOLD if bold else 1.0)
