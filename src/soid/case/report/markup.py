"""HTML as text, safe by its type: `element` escapes all content that is not Html.

>>> print(element("p", "a < b, ", element("b", "c & d"), class_="note", title='"'))
<p class="note" title="&quot;">a &lt; b, <b>c &amp; d</b></p>
>>> print(element("br"), element("i", f"{element('b', 'text again')}"))
<br> <i>&lt;b&gt;text again&lt;/b&gt;</i>

Every text in a case may be hostile. So the only conversion from text to Html escapes it. Joining or formatting Html
with `str` methods gives plain text again, which is escaped when it is used: visible, and harmless.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, final

from soid.query.words import RoundedText
from soid.scene.vector.elements import plain

#: elements that have no content, and no end tag
_EMPTY: Final = frozenset({"br", "meta"})


@final
class Html(str):
    """Text that is HTML already: from `element`, `together`, or a picture that soid draws."""

    __slots__ = ()


def element(name: str, /, *content: str, **attributes: str | None) -> Html:
    """An element; underscores in attribute names become dashes, and attributes that are None are omitted."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _EMPTY:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{together(*content)}</{name}>")


def together(*content: str) -> Html:
    return Html("".join(each if isinstance(each, Html) else escaped(each) for each in content))


def separated(content: Iterable[str], by: str = ", ") -> Html:
    """Pieces with a text between each two."""
    return together(*(piece for place, each in enumerate(content) for piece in (by * bool(place), each)))


def escaped(text: str) -> Html:
    """Text escaped for use between tags and in attributes; deceiving characters are made visible.

    >>> print(escaped("not\u202eyes"))
    not[U+202E]yes
    """
    return Html(plain(text).replace('"', "&quot;").replace("'", "&#39;"))


def digits(said: RoundedText) -> Html:
    """A text that opens to all digits of its number, by mouse, keyboard and touch."""
    if said.read == said.exact:
        return together(said.read)
    return element("details", element("summary", said.read, title=said.exact), said.exact, class_="digits")


def code(text: str) -> Html:
    return element("code", text)


def seal(text: str) -> Html:
    return element("span", text, class_="hash")


def link(place: str, text: str) -> Html:
    """A link to an anchor in the page."""
    return element("a", text, href=f"#{place}")


def paragraphs(*texts: str, class_: str | None = None) -> Html:
    """A paragraph for each text that is not empty."""
    return together(*(element("p", text, class_=class_) for text in texts if text))


def listing(items: Iterable[str]) -> Html:
    return element("ul", *(element("li", item) for item in items))


def terms(pairs: Iterable[tuple[str, str]], class_: str | None = None) -> Html:
    """Terms and their descriptions, without those whose description is empty."""
    rows = [element("div", element("dt", name), element("dd", value)) for name, value in pairs if value]
    return element("dl", *rows, class_=class_)


def table(caption: str, headers: Sequence[str], rows: Iterable[Sequence[str]], class_: str | None = None) -> Html:
    """A table whose first column has the row headers; empty columns are omitted."""
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
