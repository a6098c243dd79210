"""A learning curve as a picture, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from soid.scene.vector.elements import chart, number, tag, written

_WIDTH: Final = 640
_HEIGHT: Final = 200
_MARGIN: Final = 48
_POINTS: Final = 100  # of the curve: so many means of equally many episodes


def draw(name: str, returns: Sequence[float]) -> str:
    """The mean reward of an episode, as learning went on."""
    return chart(_WIDTH, _HEIGHT, f"{name}: mean reward of an episode", *_panel(name, returns))


def means(values: Sequence[float], points: int = _POINTS) -> list[float]:
    """The means of runs of equally many values; a rest is left out.

    >>> means([1, 3, 5, 7], 2)
    [2.0, 6.0]
    """
    size = max(1, len(values) // points)
    return [sum(values[at : at + size]) / size for at in range(0, len(values) - size + 1, size)]


def _panel(name: str, values: Sequence[float]) -> list[str]:
    curve = means(values)
    low, high = min(curve), max(curve)
    span = (high - low) or 1.0
    across = (_WIDTH - 2 * _MARGIN) / max(1, len(curve) - 1)
    down = _HEIGHT - 2 * _MARGIN
    points = " ".join(
        f"{number(_MARGIN + i * across)},{number(_MARGIN + down * (high - value) / span)}"
        for i, value in enumerate(curve)
    )
    bottom, right = _HEIGHT - _MARGIN, _WIDTH - _MARGIN
    return [
        written(f"{name}: mean reward of an episode", _MARGIN, _MARGIN - 16, font_weight="bold"),
        tag("path", d=f"M{_MARGIN},{_MARGIN}V{bottom}H{right}", fill="none", stroke="#888"),
        written(f"{high:.0f}", _MARGIN - 4, _MARGIN + 4, text_anchor="end"),
        written(f"{low:.0f}", _MARGIN - 4, bottom, text_anchor="end"),
        written(f"{len(values)} episodes", right, bottom + 16, text_anchor="end"),
        tag("polyline", points=points, fill="none", stroke="#1f6feb", stroke_width=1.5),
    ]
