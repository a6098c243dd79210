"""HTML as text, safe by its type: what is not Html is escaped where it goes into an element.

>>> print(element("p", "a < b, ", element("b", "c & d"), class_="note", title='"'))
<p class="note" title="&quot;">a &lt; b, <b>c &amp; d</b></p>
>>> print(element("br"), element("i", f"{element('b', 'text again')}"))
<br> <i>&lt;b&gt;text again&lt;/b&gt;</i>

Everything in a case may have been written by somebody hostile. So there is one way from text to Html, and it escapes;
joining or formatting Html gives text again, which is escaped at its next step: visible, and harmless.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, final

from soid.scene.vector.elements import plain

#: elements that have no content, and no end tag
_EMPTY: Final = frozenset({"br", "meta"})

#: characters that change the order in which the ones around them are shown, or cannot be seen at all
_DECEIVING: Final = (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x00AD, 0x061C, 0xFEFF)


@final
class Html(str):
    """Text that is HTML already; made by `element` and `together`, and of the pictures that soid draws."""

    __slots__ = ()


def element(name: str, /, *content: str, **attributes: str | None) -> Html:
    """An element; an underscore in an attribute's name stands for a dash, and one without a value is left out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _EMPTY:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{together(*content)}</{name}>")


def together(*content: str) -> Html:
    """Pieces one after the other."""
    return Html("".join(each if isinstance(each, Html) else escaped(each) for each in content))


def escaped(text: str) -> Html:
    """Text as HTML has it, between tags and in attributes."""
    return Html(plain(text).replace('"', "&quot;").replace("'", "&#39;"))


def undeceiving(page: Html) -> Html:
    """The whole page with what could make it read otherwise than it is written shown by its number.

    >>> print(undeceiving(escaped("not\u202eyes")))
    not[U+202E]yes
    """
    return Html(page.translate({point: f"[U+{point:04X}]" for point in _DECEIVING}))


# --- what a report is made of ---------------------------------------------------------------------------------


def code(text: str) -> Html:
    """Something in the program's or the query's own words."""
    return element("code", text)


def link(place: str, text: str) -> Html:
    """To another place in the page."""
    return element("a", text, href=f"#{place}")


def paragraphs(*texts: str, class_: str | None = None) -> Html:
    """Those that say something."""
    return together(*(element("p", text, class_=class_) for text in texts if text))


def listing(items: Iterable[str], class_: str | None = None) -> Html:
    return element("ul", *(element("li", item) for item in items), class_=class_)


def terms(pairs: Iterable[tuple[str, str]], class_: str | None = None) -> Html:
    """What things are called, and what they are; those that are nothing are left out."""
    rows = [element("div", element("dt", name), element("dd", value)) for name, value in pairs if value]
    return element("dl", *rows, class_=class_)


def table(caption: str, headers: Sequence[str], rows: Iterable[Sequence[str]], class_: str | None = None) -> Html:
    """A table whose first column says what the row is about; columns that are empty throughout are left out."""
    body = [tuple(row) for row in rows]
    kept = [at for at, _ in enumerate(headers) if any(row[at] for row in body)]
    head = element("tr", *(element("th", headers[at], scope="col") for at in kept))
    lines = [
        element("tr", *(element("td", row[at]) if at else element("th", row[at], scope="row") for at in kept))
        for row in body
    ]
    return element(
        "table", element("caption", caption), element("thead", head), element("tbody", *lines), class_=class_
    )
