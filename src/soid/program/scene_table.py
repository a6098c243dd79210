"""`[scene]` in `soid.toml`: how to draw a moment of the log from the program's variables.

docs/guide/pictures.md has an example and explains the keys. It leaves out three, all optional:

    [[scene.ground]]
    tile  = 0.5                          # divided into squares of this side
    label = "Main Street"

    [[scene.actors]]
    draggable = false                    # the user cannot drag it

This module checks all that does not need the program; `soid.scene.scene`, which knows its variables, checks the rest.
"""

from __future__ import annotations

import enum
import math
from pathlib import Path
from typing import Final, TypeVar

from soid.errors import did_you_mean
from soid.program import scenery
from soid.program.interface import normal_path
from soid.program.scenery import ActorDeclaration, Ground, Heading, SceneDeclaration
from soid.program.toml_table import TomlTable, found, is_text, is_whole, open_toml

#: limit of width / height and of height / width; a longer picture is unreadable
MOST_OBLONG: Final = 20.0
_MOST_TILES: Final = 200  # in each direction, in one area
_MOST_OUTSIDE: Final = 100  # times the visible size: limit of the distance of ground
_LEAST_SPAN: Final = 1e-9  # times the greater coordinate; for smaller spans, floats are too coarse


def read_scene(table: TomlTable, folder: Path) -> SceneDeclaration:
    """The scene of a manifest's `[scene]`, or of the file that it names."""
    file = table.text("file")
    if file is None:
        return _scene(table)
    table.close()
    if not (folder / file).is_file():
        table.fail("file", f"there is no file {folder / file}", "Files are named relative to the manifest's folder.")
    root = open_toml(folder / file)
    scene = root.table("scene")
    root.close()
    if scene is None:
        root.fail("", "the table [scene] is missing", "Add [scene], with what belongs in it.")
    return _scene(scene)


def _scene(table: TomlTable) -> SceneDeclaration:
    across, down = _span(table, "left_to_right"), _span(table, "top_to_bottom")
    actors = tuple(_actor(entry) for entry in table.tables("actors"))
    made = SceneDeclaration(
        title=table.required_words("title", '"The crossing from above"'),
        unit=table.required_words("unit", '"m"'),
        left_to_right=across,
        top_to_bottom=down,
        north=_optional(table, "north", scenery.Side),
        heading=_heading(table, needed=any(actor.heading is not None for actor in actors)),
        ground=tuple(_ground(entry, across, down) for entry in table.tables("ground")),
        actors=actors,
    )
    table.close()
    width, height = abs(across[1] - across[0]), abs(down[1] - down[0])
    if not 1 / MOST_OBLONG <= width / height <= MOST_OBLONG:
        problem = f"what is seen is {width:g} {made.unit} wide and {height:g} {made.unit} high"
        table.fail("left_to_right", problem, f"Show no more than {MOST_OBLONG:g} times as much one way as the other.")
    if not actors:
        table.fail("", "there are no actors in the scene", "Add [[scene.actors]], one for each.")
    for number, actor in enumerate(actors):
        if max(actor.size) > max(width, height):
            actor.entry.fail("size", "it is larger than all that is seen", f"Write it in {made.unit}, or show more.")
        if any(actor.mark == other.mark for other in actors[:number]):
            actor.entry.fail("mark", f"{actor.mark} stands for another actor already", "Give each a mark of its own.")
    return made


def _span(table: TomlTable, key: str) -> tuple[float, float]:
    given = table.numbers(key, 2)
    if given is None:
        table.fail("", f"{key} is missing", f"Say what is seen, such as: {key} = [0.0, 4.0]")
    first, last = given
    if abs(last - first) <= _LEAST_SPAN * max(abs(first), abs(last), 1.0) or not math.isfinite(last - first):
        table.fail(key, "nothing to be seen lies between the two", "Write the values at both edges of what is seen.")
    return first, last


def _heading(table: TomlTable, *, needed: bool) -> Heading | None:
    unit = _optional(table, "heading_unit", scenery.Angle)
    zero = _optional(table, "heading_zero", scenery.Side)
    grows = _optional(table, "heading_grows", scenery.Turning)
    if unit is not None and zero is not None and grows is not None:
        return Heading(unit, zero, grows)
    missing = {"heading_unit": (unit, "rad"), "heading_zero": (zero, "right"), "heading_grows": (grows, "clockwise")}
    for key, (value, example) in missing.items():
        if value is None and (needed or any(given is not None for given, _ in missing.values())):
            table.fail("", f"{key} is missing", f'A picture must not guess it. Add it, such as: {key} = "{example}"')
    return None


def _ground(entry: TomlTable, across: tuple[float, float], down: tuple[float, float]) -> Ground:
    paint = _choice(entry, "paint", entry.required("paint", '"road"'), scenery.Paint)
    key, other = ("line", "area") if paint.is_line else ("area", "line")
    if entry.get(other) is not None:
        entry.fail(
            other,
            f"{paint.value} is painted as {'a line' if paint.is_line else 'an area'}",
            f"Write {key} = [ ... ] instead.",
        )
    ends = entry.numbers(key, 4)
    if ends is None:
        entry.fail("", f"{key} is missing", f"Say where it is, such as: {key} = [1.0, 0.0, 2.0, 4.0]")
    x1, y1, x2, y2 = ends
    if (x1, y1) == (x2, y2) or (not paint.is_line and (x1 == x2 or y1 == y2)):
        entry.fail(key, "it has no extent", "Write x and y of one end, then of the other.")
    if not all(_is_near(x, across) for x in (x1, x2)) or not all(_is_near(y, down) for y in (y1, y2)):
        entry.fail(key, "it lies far outside of what is seen", "Write x and y of one end, then of the other.")
    tile = entry.number("tile")
    if tile is not None:
        if paint.is_line:
            entry.fail("tile", "a line is not made of tiles", "Leave tile out.")
        if tile <= 0 or max(abs(x2 - x1), abs(y2 - y1)) / tile > _MOST_TILES:
            entry.fail("tile", f"{tile:g} is no side of a tile here", f"At most {_MOST_TILES} of them, either way.")
    made = Ground(paint, (x1, y1, x2, y2), tile, entry.words("label") or "")
    entry.close()
    return made


def _is_near(place: float, span: tuple[float, float]) -> bool:
    return abs(place - span[0]) <= _MOST_OUTSIDE * abs(span[1] - span[0])


def _actor(entry: TomlTable) -> ActorDeclaration:
    mark = entry.required("mark", '"A"')
    if len(mark) > 2 or not (mark.isascii() and mark.isalnum()):
        entry.fail("mark", f'"{mark}" is no mark', "One or two letters or digits stand for an actor in the picture.")
    size = entry.numbers("size", 2)
    if size is None:
        entry.fail("", "size is missing", "Say its length and its width, such as: size = [4.5, 1.8]")
    if min(size) <= 0:
        entry.fail("size", f"{min(size):g} is no length", "Write its length and its width, both above 0.")
    heading = _place(entry, "heading")
    made = ActorDeclaration(
        mark=mark,
        name=entry.required_words("name", '"the car"'),
        look=_optional(entry, "kind", scenery.Look) or scenery.Look.THING,
        part=_optional(entry, "role", scenery.Part) or scenery.Part.OTHER,
        size=(size[0], size[1]),
        anchor=_optional(entry, "anchor", scenery.Anchor) or scenery.Anchor.CENTRE,
        x=_required_place(entry, "x"),
        y=_required_place(entry, "y"),
        heading=heading,
        present=_path(entry, "present"),
        present_when=_present_when(entry),
        signal=_path(entry, "signal"),
        signals=_signals(entry),
        shows=tuple(map(normal_path, entry.texts("shows"))),
        draggable=entry.flag("draggable") is not False,
        entry=entry,
    )
    entry.close()
    if made.anchor is not scenery.Anchor.CENTRE and heading is None:
        entry.fail("anchor", "what has no heading has no front and no rear", "Add a heading, or leave anchor out.")
    if made.signals and made.signal is None:
        entry.fail("signals", "no variable is named for the signal", "Add signal, or leave signals out.")
    if made.signal is not None and not made.signals:
        entry.fail("signal", "signals is missing", 'Say how each looks: signals = { LEFT = "left", NONE = "off" }')
    if made.signal is not None and heading is None:
        entry.fail("signal", "what has no heading has no left and no right", "Add a heading, or put it under shows.")
    if made.present_when and made.present is None:
        entry.fail("present_when", "no variable is named for its presence", "Add present, or leave it out.")
    return made


def _place(entry: TomlTable, key: str) -> str | float | None:
    """A variable's path, or a number."""
    value = entry.get(key)
    if value is None or is_text(value):
        return _path(entry, key)
    if isinstance(value, bool | list | dict):
        entry.fail(key, f"expected a variable in quotes or a number, found {found(value)}")
    return entry.number(key)


def _required_place(entry: TomlTable, key: str) -> str | float:
    place = _place(entry, key)
    if place is None:
        entry.fail("", f"{key} is missing", f'Name a variable, or a number: {key} = "car.{key}", {key} = 2.5')
    return place


def _path(entry: TomlTable, key: str) -> str | None:
    text = entry.text(key)
    return None if text is None else normal_path(text)


def _present_when(entry: TomlTable) -> tuple[str | int, ...]:
    value = entry.get("present_when")
    if value is None:
        return ()
    if not isinstance(value, list) or not value:
        entry.fail("present_when", f"expected a list of values, found {found(value)}")
    for item in value:
        if not is_text(item) and not is_whole(item):
            entry.fail("present_when", f"expected labels or whole numbers, found {found(item)}")
    return tuple(value)


def _signals(entry: TomlTable) -> tuple[tuple[str, scenery.Blinking], ...]:
    table = entry.table("signals")
    if table is None:
        return ()
    return tuple(
        (label, _choice(table, label, table.required(label, '"off"'), scenery.Blinking, "light")) for label in table
    )


Word = TypeVar("Word", bound=enum.Enum)


def _optional(table: TomlTable, key: str, words: type[Word]) -> Word | None:
    text = table.text(key)
    return None if text is None else _choice(table, key, text, words)


def _choice(table: TomlTable, key: str, text: str, words: type[Word], noun: str = "") -> Word:
    known = {word.value: word for word in words}
    if text not in known:
        remedy = did_you_mean(text, known, f"It may be: {', '.join(known)}.")
        table.fail(key, f'there is no {noun or key.replace("_", " ")} "{text}"', remedy)
    return known[text]
