"""What a world makes of a log, beside the log: for each number one panel with two lines over the steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

from msgspec import Struct

from soid.scene.vector.elements import chart, number, tag, written

_WIDTH: Final = 760
_PANEL: Final = 170  # the height of a panel
_LEFT: Final = 80
_RIGHT: Final = 30
_TOP: Final = 56
_ABOVE: Final = 30  # for the title of a panel
_BELOW: Final = 24  # for the steps along its axis

LOGGED: Final = "#57606a"
COMPUTED: Final = "#bf3989"


@final
class DrawnCourse(Struct, frozen=True):
    """One number over the steps: as logged, where that is known, and as computed."""

    name: str
    steps: tuple[int, ...]
    logged: tuple[float | None, ...]
    computed: tuple[float | None, ...]
    says: str = ""  # under the name

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest number of all."""
        known = [each for each in (*self.logged, *self.computed) if each is not None]
        return (min(known), max(known)) if known else (0.0, 0.0)


def course_svg(heading: str, courses: Sequence[DrawnCourse]) -> str:
    """The picture; the wider grey line is the log's, so that it is seen where the two are one."""
    parts = [written(heading, _LEFT, 22, font_size=14)]
    for x, colour, text in ((_LEFT, LOGGED, "as logged"), (_LEFT + 110, COMPUTED, "as the world computes it")):
        parts.append(tag("path", d=f"M{x},40h22", stroke=colour, stroke_width=3) + written(text, x + 28, 44))
    for row, course in enumerate(courses):
        parts += _panel(course, _TOP + _ABOVE + row * _PANEL)
    return chart(_WIDTH, _TOP + len(courses) * _PANEL + 8, heading, *parts)


def _panel(course: DrawnCourse, top: float) -> Iterator[str]:
    bottom = top + _PANEL - _ABOVE - _BELOW
    low, high = course.ends
    yield written(course.name, _LEFT, top - 12, font_weight="bold")
    yield written(course.says, _WIDTH - _RIGHT, top - 12, text_anchor="end", fill=LOGGED)
    for value, y in ((high, top), (low, bottom)) if high > low else ((low, (top + bottom) / 2),):
        yield tag("path", d=f"M{_LEFT},{number(y)}H{_WIDTH - _RIGHT}", stroke="#d0d7de")
        yield written(f"{value:.6g}", _LEFT - 6, y + 4, text_anchor="end", fill=LOGGED)
    first, last = course.steps[0], course.steps[-1]
    for step, anchor, x in ((first, "start", _LEFT), (last, "end", _WIDTH - _RIGHT)):
        yield written(f"step {step}", x, bottom + 18, text_anchor=anchor, fill=LOGGED)

    def place(step: int, value: float) -> str:
        x = _LEFT + (step - first) / ((last - first) or 1) * (_WIDTH - _LEFT - _RIGHT)
        y = bottom - ((value - low) / (high - low) if high > low else 0.5) * (bottom - top)
        return f"{number(x)},{number(y)}"

    for values, colour, wide in ((course.logged, LOGGED, 5.0), (course.computed, COMPUTED, 2.0)):
        points = (place(step, each) for step, each in zip(course.steps, values, strict=True) if each is not None)
        yield tag("polyline", points=" ".join(points), fill="none", stroke=colour, stroke_width=wide)
