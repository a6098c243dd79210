"""[scene]: the contents of a good one, and the place of each mistake in a bad one."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.engine.manifest_reader import load
from soid.errors import ManifestError
from soid.program.scenery import Anchor, Angle, Blinking, Heading, Look, Paint, Part, Side, Turning
from tests.unit.scene.scenes import PROGRAM, SCENE, project

LINES = PROGRAM.count("\n")


def test_a_good_scene(tmp_path: Path) -> None:
    scene = load(project(tmp_path)).scene
    assert scene is not None
    assert (scene.title, scene.unit, scene.left_to_right, scene.top_to_bottom) == ("A street", "m", (0, 10), (5, 0))
    assert (scene.north, scene.heading) == (Side.UP, Heading(Angle.RADIANS, Side.RIGHT, Turning.COUNTERCLOCKWISE))
    assert [(each.paint, each.tile) for each in scene.ground] == [
        (Paint.GRASS, None),
        (Paint.ROAD, 1.0),
        (Paint.STOP, None),
    ]
    car, person = scene.actors
    assert (car.look, car.part, car.size, car.anchor) == (Look.CAR, Part.INVESTIGATED, (2.0, 1.0), Anchor.CENTRE)
    assert car.signals == (("NONE", Blinking.OFF), ("LEFT", Blinking.LEFT), ("RIGHT", Blinking.RIGHT))
    assert (person.look, person.part, person.y, person.heading) == (Look.PERSON, Part.OTHER, 2.5, None)
    assert person.present_when == ("PERSON", "DOG")


def test_a_project_needs_no_scene(tmp_path: Path) -> None:
    assert load(project(tmp_path, scene="")).scene is None


def test_a_scene_may_have_its_own_file(tmp_path: Path) -> None:
    told = load(project(tmp_path)).scene
    (tmp_path / "scenes").mkdir()
    (tmp_path / "scenes" / "street.toml").write_text(SCENE)
    assert load(project(tmp_path, '[scene]\nfile = "scenes/street.toml"\n')).scene == told


@pytest.mark.parametrize(
    ("scene", "other", "expected"),
    [
        ('file = "lost.toml"', "", ["[scene] file: there is no file", "lost.toml"]),
        ('file = "street.toml"\nunit = "m"', SCENE, ["[scene] unit: there is no such key"]),
        ('file = "street.toml"', "", ["street.toml: the table [scene] is missing"]),
        ('file = "street.toml"', SCENE + "[trace]\n", ["street.toml:", "trace: there is no such key"]),
        ('file = "street.toml"', SCENE.replace('"off"', '"of"'), ["street.toml:36: ", "signals NONE"]),
    ],
    ids=["lost", "more beside it", "no scene in it", "more in it", "a mistake in it"],
)
def test_mistakes_about_a_file_of_its_own(tmp_path: Path, scene: str, other: str, expected: list[str]) -> None:
    (tmp_path / "street.toml").write_text(other)
    with pytest.raises(ManifestError) as caught:
        load(project(tmp_path, f"[scene]\n{scene}\n"))
    for part in expected:
        assert part in str(caught.value)


# A text of the good scene, its replacement, the line of the mistake, and a part of the message.
MISTAKES = [
    ('title         = "A street"', "", 1, ["[scene]: title is missing"]),
    ('unit          = "m"', "", 1, ["[scene]: unit is missing"]),
    ('unit          = "m"', "unit = 1", 3, ["[scene] unit: expected text in quotes, found the number 1"]),
    ("[0.0, 10.0]", "[0.0]", 4, ["[scene] left_to_right: expected a list of 2 numbers, found a list of 1"]),
    ("[0.0, 10.0]", "[0.0, inf]", 4, ["[scene] left_to_right: expected a finite number, found inf"]),
    ("[0.0, 10.0]", "[0.0, true]", 4, ["[scene] left_to_right: expected a number, found true"]),
    ("[0.0, 10.0]", "[0.0, '1']", 4, ['[scene] left_to_right: expected a number, found the text "1"']),
    ("[0.0, 10.0]", f"[0.0, {'9' * 400}]", 4, ["[scene] left_to_right: expected a finite number"]),
    ("[0.0, 10.0]", "[2.0, 2]", 4, ["[scene] left_to_right: nothing to be seen lies between the two"]),
    ("[0.0, 10.0]", "[0.0, 1e-320]", 4, ["left_to_right: nothing to be seen lies between the two"]),
    ("[0.0, 10.0]", "[1e15, 1000000000000001.0]", 4, ["left_to_right: nothing to be seen lies between"]),
    ("[0.0, 10.0]", "[1e308, -1e308]", 4, ["left_to_right: nothing to be seen lies between the two"]),
    ("[0.0, 10.0]", "[0.0, 1000.0]", 4, ["1000 m wide and 5 m high", "no more than 20 times"]),
    ("left_to_right = [0.0, 10.0]", "", 1, ["[scene]: left_to_right is missing"]),
    ('"up"', '"upp"', 6, ['[scene] north: there is no north "upp"', "Did you mean up?"]),
    ('"up"', '"east"', 6, ['there is no north "east"', "It may be: right, up, left, down."]),
    ('heading_unit  = "rad"', "", 1, ["[scene]: heading_unit is missing", "must not guess"]),
    ('heading_zero  = "right"', "", 1, ["[scene]: heading_zero is missing"]),
    ('heading_grows = "counterclockwise"', "", 1, ["[scene]: heading_grows is missing"]),
    ('"rad"', '"grad"', 7, ['[scene] heading_unit: there is no heading unit "grad"', "Did you mean rad?"]),
    ("north         =", "nord =", 6, ["[scene] nord: there is no such key", "Did you mean north?"]),
    ('paint = "grass"', 'paint = "gras"', 12, ['[scene] ground[0] paint: there is no paint "gras"', "mean grass?"]),
    ('paint = "grass"', "", 11, ["[scene] ground[0]: paint is missing"]),
    ("area  = [0.0, 1.0, 10.0, 4.0]", "line = [0.0, 1.0, 10.0, 4.0]", 17, ["line: road is painted as an area"]),
    ("area  = [0.0, 1.0, 10.0, 4.0]", "", 15, ["[scene] ground[1]: area is missing"]),
    ("area  = [0.0, 1.0, 10.0, 4.0]", "area = [0.0, 1.0, 10.0, 1]", 17, ["ground[1] area: it has no extent"]),
    ("line  = [6.0, 1.0, 6.0, 2.5]", "area = [6.0, 1.0, 6.0, 2.5]", 23, ["ground[2] area: stop is painted as a line"]),
    ("line  = [6.0, 1.0, 6.0, 2.5]", "line = [6, 1, 6, 1]", 23, ["ground[2] line: it has no extent"]),
    ("line  = [6.0, 1.0, 6.0, 2.5]", "line = [6, 1, 6, 2]\ntile = 1", 24, ["a line is not made of tiles"]),
    ("line  = [6.0, 1.0, 6.0, 2.5]", "line = [6, 1, 6, 1e9]", 23, ["ground[2] line: it lies far outside"]),
    ("area  = [0.0, 1.0, 10.0, 4.0]", "area = [-1e300, 1, 10, 4]", 17, ["ground[1] area: it lies far outside"]),
    ("tile  = 1.0", "tile = 0.0", 18, ["[scene] ground[1] tile: 0 is no side of a tile here"]),
    ("tile  = 1.0", "tile = 0.00001", 18, ["ground[1] tile", "At most 200 of them"]),
    ("tile  = 1.0", "tiles = 1.0", 18, ["[scene] ground[1] tiles: there is no such key", "Did you mean tile?"]),
    ("[[scene.actors]]", "[scene.actors]", None, ["not TOML"]),
    ('mark    = "A"', 'mark = "ABC"', 26, ['[scene] actors[0] mark: "ABC" is no mark']),
    ('mark    = "A"', 'mark = "→"', 26, ['"→" is no mark', "letters or digits"]),
    ('mark    = "A"', 'mark = "P"', 40, ["[scene] actors[1] mark: P stands for another actor already"]),
    ('mark    = "A"', "", 25, ["[scene] actors[0]: mark is missing"]),
    ('kind    = "car"', 'kind = "cat"', 28, ['actors[0] kind: there is no kind "cat"', "Did you mean car?"]),
    ('"investigated"', '"guilty"', 29, ['there is no role "guilty"', "investigated, other, bystander"]),
    ("size    = [2.0, 1.0]", "", 25, ["actors[0]: size is missing"]),
    ("size    = [2.0, 1.0]", "size = [2.0, 0.0]", 30, ["actors[0] size: 0 is no length"]),
    ("size    = [2.0, 1.0]", "size = [1.0, 11.0]", 30, ["actors[0] size: it is larger than all that is seen"]),
    ('x       = "x"', "x = true", 31, ["actors[0] x: expected a variable in quotes or a number, found true"]),
    ('x       = "x"', "x = [1]", 31, ["expected a variable in quotes or a number, found a list of 1"]),
    ('x       = "x"', "x = nan", 31, ["actors[0] x: expected a finite number, found nan"]),
    ('x       = "x"', "", 25, ["actors[0]: x is missing"]),
    ('heading = "angle"', "", 35, ["actors[0] signal: what has no heading has no left and no right"]),
    ('heading = "angle"', 'anchor = "front"', 33, ["anchor: what has no heading has no front and no rear"]),
    ('signal  = "signal"', "", 36, ["actors[0] signals: no variable is named for the signal"]),
    ('NONE = "off", LEFT', 'NONE = "of", LEFT', 36, ['signals NONE: there is no light "of"', "Did you mean off?"]),
    ('signals = { NONE = "off", LEFT = "left", RIGHT = "right" }', "", 35, ["signal: signals is missing"]),
    ('present = "who"', "", 47, ["actors[1] present_when: no variable is named for its presence"]),
    ('["PERSON", "DOG"]', "[]", 47, ["actors[1] present_when: expected a list of values, found a list of 0"]),
    ('["PERSON", "DOG"]', "[1.5]", 47, ["present_when: expected labels or whole numbers, found the number 1.5"]),
    ('shows   = ["speed"]', 'shows = "speed"', 37, ["actors[0] shows: expected a list of texts"]),
    ('shows   = ["speed"]', 'draggable = "no"', 37, ["actors[0] draggable: expected true or false"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "line", "expected"), MISTAKES, ids=[f"{i}-{case[3][0][:40]}" for i, case in enumerate(MISTAKES)]
)
def test_each_mistake_is_named_with_its_place(
    tmp_path: Path, old: str, new: str, line: int | None, expected: list[str]
) -> None:
    assert old in SCENE
    file = project(tmp_path, SCENE.replace(old, new, 1)) / "soid.toml"
    with pytest.raises(ManifestError) as caught:
        load(file)
    message = str(caught.value)
    assert message.startswith(f"{file}:{line + LINES}: " if line else f"{file}:")
    for part in expected:
        assert part in message


def test_a_scene_needs_somebody(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="there are no actors in the scene"):
        load(project(tmp_path, SCENE.partition("[[scene.actors]]")[0]))


def test_actors_are_a_list_of_tables(tmp_path: Path) -> None:
    for actors in ("actors = 1", "actors = [1]", "actors = {}"):
        text = SCENE.partition("[[scene.ground]]")[0] + actors
        with pytest.raises(ManifestError, match=r"actors: expected a list of tables.*\n.*\[\[scene\.actors\]\]"):
            load(project(tmp_path, text))


@settings(max_examples=60)
@given(position=st.integers(0, len(SCENE)), removed=st.integers(0, 12), inserted=st.text(max_size=4))
def test_a_damaged_scene_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, position: int, removed: int, inserted: str
) -> None:
    folder = tmp_path_factory.getbasetemp() / "damaged scene"
    project(folder, "")
    text = PROGRAM + SCENE[:position] + inserted + SCENE[position + removed :]
    (folder / "soid.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    with contextlib.suppress(ManifestError):
        load(folder)
