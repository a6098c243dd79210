"""A learning curve as a picture, drawn by hand as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_WIDTH: Final = 640
_HEIGHT: Final = 200
_MARGIN: Final = 48
_POINTS: Final = 100  # of the curve: so many means of equally many episodes


def draw(name: str, returns: Sequence[float]) -> str:
    """The mean reward of an episode, as learning went on."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
        f'font-size="12">\n<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>\n{_panel(name, returns)}</svg>\n'
    )


def means(values: Sequence[float], points: int = _POINTS) -> list[float]:
    """Of equally many values each, as far as they go.

    >>> means([1, 3, 5, 7], 2)
    [2.0, 6.0]
    """
    size = max(1, len(values) // points)
    return [sum(values[at : at + size]) / size for at in range(0, len(values) - size + 1, size)]


def _panel(name: str, values: Sequence[float]) -> str:
    curve = means(values)
    low, high = min(curve), max(curve)
    span = (high - low) or 1.0
    across = (_WIDTH - 2 * _MARGIN) / max(1, len(curve) - 1)
    down = _HEIGHT - 2 * _MARGIN
    points = " ".join(
        f"{_MARGIN + i * across:.1f},{_MARGIN + down * (high - value) / span:.1f}" for i, value in enumerate(curve)
    )
    bottom = _HEIGHT - _MARGIN
    right = _WIDTH - _MARGIN
    return (
        f'<text x="{_MARGIN}" y="{_MARGIN - 16}" font-weight="bold">{name}: mean reward of an episode</text>\n'
        f'<path d="M{_MARGIN},{_MARGIN}V{bottom}H{right}" fill="none" stroke="#888"/>\n'
        f'<text x="{_MARGIN - 4}" y="{_MARGIN + 4}" text-anchor="end">{high:.0f}</text>\n'
        f'<text x="{_MARGIN - 4}" y="{bottom}" text-anchor="end">{low:.0f}</text>\n'
        f'<text x="{right}" y="{bottom + 16}" text-anchor="end">{len(values)} episodes</text>\n'
        f'<polyline points="{points}" fill="none" stroke="#1f6feb" stroke-width="1.5"/>\n'
    )
