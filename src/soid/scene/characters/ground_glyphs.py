"""The ground in characters."""

from __future__ import annotations

from typing import Final

from soid.program.scenery import Ground, Paint
from soid.scene.characters.canvas import Canvas

#: sign, ASCII sign
_AREAS: Final = {
    Paint.GRASS: ("░", "."),
    Paint.ROAD: (" ", " "),
    Paint.PAVEMENT: ("·", ","),
    Paint.ZEBRA: ("▒", "#"),
    Paint.OBSTACLE: ("▓", "%"),
}
#: both signs along a row, then along a column
_LINES: Final = {
    Paint.EDGE: (("─", "-"), ("│", "|")),
    Paint.LANE: (("╌", "-"), ("┊", ":")),
    Paint.STOP: (("━", "="), ("┃", "H")),
}


def draw_ground(canvas: Canvas, ground: tuple[Ground, ...]) -> None:
    """Draws the ground in the order of its declaration."""
    for each in ground:
        if each.paint.is_line:
            _line(canvas, each)
        else:
            _area(canvas, each)


def _area(canvas: Canvas, ground: Ground) -> None:
    sign = canvas.either(*_AREAS[ground.paint])
    x1, y1, x2, y2 = ground.ends
    (left, right), (low, high) = sorted((x1, x2)), sorted((y1, y2))
    for row in range(canvas.rows):
        for column in range(canvas.columns):
            x, y = canvas.centre(column, row)
            if left <= x <= right and low <= y <= high:
                canvas.put(column, row, sign, ground.paint.value)


def _line(canvas: Canvas, ground: Ground) -> None:
    frame = canvas.frame
    x1, y1, x2, y2 = ground.ends
    columns, rows = (
        (frame.across(x2) - frame.across(x1)) * canvas.columns,
        (frame.down(y2) - frame.down(y1)) * canvas.rows,
    )
    along_row = abs(columns) >= abs(rows)
    sign = canvas.either(*_LINES[ground.paint][0 if along_row else 1])
    steps = max(1, round(abs(columns) if along_row else abs(rows)))
    for step in range(steps):  # the middle of each crossed cell
        part = (step + 0.5) / steps
        cell = canvas.cell(x1 + (x2 - x1) * part, y1 + (y2 - y1) * part)
        if cell is not None:
            canvas.put(*cell, sign, ground.paint.value)
