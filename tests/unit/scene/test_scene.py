"""A scene that does not fit the program is refused; headings and directions convert correctly."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.engine.manifest_reader import load
from soid.errors import ManifestError
from soid.scene.scene import scene_of
from tests.unit.scene.scenes import PROGRAM, SCENE, a_scene, project

# A text of the good project, its replacement, and texts that the message contains.
MISTAKES = [
    ('x       = "x"', 'x = "xx"', ["[scene] actors[0] x: there is no variable xx", "Did you mean x?"]),
    ('shows   = ["speed"]', 'shows = ["speed", "sped"]', ["actors[0] shows: there is no variable sped", "mean speed?"]),
    ('shows   = ["speed"]', 'shows = ["go"]', ["actors[0] shows: go is of role decision"]),
    ('x       = "x"', 'x = "there"', ["actors[0] x: there is no number but bool"]),
    ('x       = "x"', 'x = "signal"', ["actors[0] x: signal is no number but enum"]),
    ('heading = "angle"', 'heading = "who"', ["actors[0] heading: who is no number"]),
    ('"float32", unit = "m", domain', '"float32", unit = "cm", domain', ["x is in cm, and the scene is in m"]),
    ('unit          = "m"', 'unit = "ft"', ["actors[0] x: x is in m, and the scene is in ft"]),
    ('heading_unit  = "rad"', 'heading_unit = "deg"', ["heading: angle is in rad, and heading_unit is deg"]),
    ('unit = "rad"', 'unit = "deg"', ["heading: angle is in deg, and heading_unit is rad"]),
    ('present = "there"', 'present = "who"', ["actors[0] present: who is enum, neither true nor false"]),
    ('["PERSON", "DOG"]', '["PERSON", "CAT"]', ["present_when: expected one of NOBODY, PERSON, DOG, found 'CAT'"]),
    ('["PERSON", "DOG"]', "[1, 300]", ["present_when: 300 is outside uint8"]),
    ('signal  = "signal"', 'signal = "speed"', ["actors[0] signal: speed is float32"]),
    ('NONE = "off", ', "", ["actors[0] signals: NONE is missing", 'NONE = "off"']),
    ('NONE = "off", ', 'NON = "off", ', ["signals: expected one of NONE, LEFT, RIGHT, found 'NON'"]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), MISTAKES, ids=[case[2][0][:50] for case in MISTAKES])
def test_what_does_not_fit_the_program_is_named_with_its_key(
    tmp_path: Path, old: str, new: str, expected: list[str]
) -> None:
    assert old in PROGRAM + SCENE
    program, scene = PROGRAM.replace(old, new, 1), SCENE.replace(old, new, 1)
    manifest = load(project(tmp_path, scene, program))
    with pytest.raises(ManifestError) as caught:
        scene_of(manifest)
    assert str(caught.value).startswith(f"{manifest.file}:")
    for part in expected:
        assert part in str(caught.value)


def test_a_project_without_a_scene_says_so(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"there is no \[scene\]"):
        scene_of(load(project(tmp_path, "")))
    with pytest.raises(ManifestError, match=r"there is no \[scene\]"):
        scene_of(None)


@pytest.mark.parametrize(
    ("unit", "zero", "grows", "heading", "direction"),
    [
        ("rad", "right", "counterclockwise", 0.0, 0.0),
        ("rad", "right", "counterclockwise", 1.5707963267948966, 90.0),
        ("rad", "right", "clockwise", 1.5707963267948966, 270.0),
        ("deg", "right", "counterclockwise", 1.5, 1.5),
        ("deg", "up", "clockwise", 90.0, 0.0),  # a compass
        ("deg", "up", "clockwise", 0.0, 90.0),
        ("deg", "left", "counterclockwise", -90.0, 90.0),
        ("deg", "down", "counterclockwise", 720.0, 270.0),
    ],
)
def test_where_a_heading_looks(
    tmp_path: Path, unit: str, zero: str, grows: str, heading: float, direction: float
) -> None:
    text = SCENE.replace('"rad"', f'"{unit}"').replace('zero  = "right"', f'zero  = "{zero}"')
    text = text.replace('"counterclockwise"', f'"{grows}"')
    scene = a_scene(tmp_path, text, PROGRAM.replace('unit = "rad", ', ""))
    assert scene.direction(heading) == pytest.approx(direction)
    turn = 360.0 if unit == "deg" else 2 * 3.141592653589793
    assert scene.heading_of(direction) == pytest.approx(heading % turn)
