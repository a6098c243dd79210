"""Causes as a picture: a row for each fact, a column for each cause, and a bar for the degree of responsibility."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from soid.case.report.markup import Html, element, together

_ROW, _COLUMN, _BAR = 26, 26, 120  # px
_LETTER: Final = 7.6  # px of a letter, about
_MARGIN: Final = 10  # px
_SHOWN: Final = 24  # causes


def picture(names: Mapping[str, str], causes: Sequence[Sequence[str]], degrees: Mapping[str, float | None]) -> Html:
    """Facts by path with what they are called; the facts of each cause; degrees, None where one is open."""
    left = _LETTER * max(map(len, names.values())) + 2 * _MARGIN
    across = left + _COLUMN * min(len(causes), _SHOWN)
    width, height = across + _BAR + 70, _ROW * (len(names) + 1)
    heads = [
        _text(left + _COLUMN * (place + 0.5), 16, str(place + 1), "middle") for place in range(len(causes[:_SHOWN]))
    ]
    rows = [
        _row(place, path, called, causes[:_SHOWN], degrees.get(path), (left, across))
        for place, (path, called) in enumerate(names.items(), start=1)
    ]
    titled = element("title", "Which facts are part of which cause, and how far each is responsible")
    return element(
        "svg",
        titled,
        *heads,
        _text(across + 10, 16, "responsibility"),
        *rows,
        viewBox=f"0 0 {width:.0f} {height}",
        width=f"{width:.0f}",
        height=f"{height}",
        role="img",
        class_="causes",
    )


def _row(
    place: int,
    path: str,
    called: str,
    causes: Sequence[Sequence[str]],
    degree: float | None,
    at: tuple[float, float],
) -> Html:
    middle, (left, across) = _ROW * (place + 0.5), at
    dots = [
        element(
            "circle",
            cx=f"{left + _COLUMN * (number + 0.5):.1f}",
            cy=f"{middle:.1f}",
            r="6",
            class_="part" if path in cause else "none",
        )
        for number, cause in enumerate(causes)
    ]
    told = "open" if degree is None else f"{degree:.3g}"
    bar = element(
        "rect", x=f"{across + 10:.1f}", y=f"{middle - 5:.1f}", width=f"{_BAR * (degree or 0.0):.1f}", height="10"
    )
    after = across + 16 + _BAR * (degree or 0.0)
    return together(_text(_MARGIN, middle + 4, called), *dots, bar, _text(after, middle + 4, told))


def _text(x: float, y: float, text: str, anchor: str = "start") -> Html:
    return element("text", text, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor)
