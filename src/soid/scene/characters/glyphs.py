"""Ground and actors in characters. An actor is an arrow, the mark behind it, and a star on each side that blinks."""

from __future__ import annotations

import math
from typing import Final

from soid.program.scenery import Ground, Look, Paint
from soid.scene.characters.canvas import Canvas
from soid.scene.picture import DrawnActor

GHOST: Final = "ghost"
BLINKING: Final = "blinking"

_LONG: Final = 4  # cells; an actor at least this long is drawn with a body

#: for each eighth of a turn, counter-clockwise from the right: in fact, in a scenario, in ASCII
_ARROWS: Final = ("►↗▲↖◄↙▼↘", "▷↗△↖◁↙▽↘", ">/^\\</v\\")
#: actors without a heading: in fact, in a scenario, in ASCII
_DOTS: Final = {Look.CAR: ("■", "□", "#"), Look.PERSON: ("●", "○", "o"), Look.THING: ("■", "□", "#")}

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
    columns = (frame.across(x2) - frame.across(x1)) * canvas.columns
    rows = (frame.down(y2) - frame.down(y1)) * canvas.rows
    along_row = abs(columns) >= abs(rows)
    sign = canvas.either(*_LINES[ground.paint][0 if along_row else 1])
    steps = max(1, round(abs(columns) if along_row else abs(rows)))
    for step in range(steps):  # the middle of each crossed cell
        part = (step + 0.5) / steps
        cell = canvas.cell(x1 + (x2 - x1) * part, y1 + (y2 - y1) * part)
        if cell is not None:
            canvas.put(*cell, sign, ground.paint.value)


def draw_figure(canvas: Canvas, figure: DrawnActor, *, ghost: bool = False) -> None:
    """Draws an actor, if its place is inside the frame."""
    cell = _cell(canvas, figure)
    if cell is None:
        return
    column, row = cell
    role, style = GHOST if ghost else figure.actor.part.value, 2 if canvas.ascii_only else int(ghost)
    if figure.direction is None:
        canvas.put(column, row, _DOTS[figure.actor.look][style], role)
        _mark(canvas, column + 1, row, figure, role)
        return
    right, up = math.cos(math.radians(figure.direction)), math.sin(math.radians(figure.direction))
    body = _body(canvas, figure, role, ghost=ghost)
    if body:
        _mark(canvas, column, row, figure, role)
        column, row = body[-1]
    else:
        across, down = _step(-right), _step(up)
        behind = -len(figure.actor.mark) if across < 0 else across
        _mark(canvas, column + behind, row + (down if across == 0 else 0), figure, role)
    canvas.put(column, row, _ARROWS[style][round(figure.direction / 45.0) % 8], role)
    for side in figure.blinking_sides:
        canvas.put(column + _step(side * up), row + _step(side * right), "*", BLINKING)


def draw_left_behind(canvas: Canvas, figure: DrawnActor) -> None:
    """Marks the factual place of an actor."""
    cell = _cell(canvas, figure)
    if cell is not None:
        canvas.put(*cell, canvas.either("┼", "x"), figure.actor.part.value)


def _cell(canvas: Canvas, figure: DrawnActor) -> tuple[int, int] | None:
    return canvas.cell(*figure.place) if figure.place is not None else None


def _body(canvas: Canvas, figure: DrawnActor, role: str, *, ghost: bool) -> list[tuple[int, int]]:
    """Draws the body of a long actor; gives its cells from rear to front, none if it is short."""
    length = figure.actor.size[0]
    reach = round(length / canvas.frame.width * canvas.columns)
    if reach < _LONG or figure.place is None or figure.direction is None:
        return []
    parts = [length * ((part + 0.5) / reach - 0.5) for part in range(reach)]
    points = [canvas.frame.ahead(*figure.place, figure.direction, part) for part in parts]
    cells = [cell for point in points if (cell := canvas.cell(*point)) is not None]
    for cell in cells:
        canvas.put(*cell, canvas.either("▭" if ghost else "▬", "-" if ghost else "="), role)
    return cells


def _mark(canvas: Canvas, column: int, row: int, figure: DrawnActor, role: str) -> None:
    if not 0 <= row < canvas.rows:  # no row is left behind it: put the mark beside it
        row, column = min(max(row, 0), canvas.rows - 1), column + 1
    for number, sign in enumerate(figure.actor.mark):
        canvas.put(column + number, row, sign, role)


def _step(part: float) -> int:
    """The step along an axis, -1, 0 or 1, for a direction's component on that axis."""
    return 0 if abs(part) < 0.5 else int(math.copysign(1, part))
