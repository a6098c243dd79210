"""A small project with a scene, for tests: a street, a car, and a person who may be absent."""

from __future__ import annotations

import json
from pathlib import Path

from soid.engine.manifest_reader import load
from soid.program.types import parse
from soid.scene.scene import Scene, scene_of

PROGRAM = """\
[program]
engine = "smtlib"
paths  = ["go.smt2", "stay.smt2"]

[trace]
file = "log.jsonl"

[variables]
x      = { role = "environment", type = "float32", unit = "m", domain = [-1.0, 9.5] }
y      = { role = "environment", type = "float64", unit = "m" }
angle  = { role = "environment", type = "float32", unit = "rad", domain = [-3.2, 3.2] }
signal = { role = "environment", type = "enum", width = 8, labels = ["NONE", "LEFT", "RIGHT"] }
who    = { role = "environment", type = "enum", width = 8, labels = ["NOBODY", "PERSON", "DOG"] }
where  = { role = "environment", type = "int16", unit = "m", domain = { values = [-4, 0, 7] } }
there  = { role = "state", type = "bool" }
speed  = { role = "state", type = "float32", unit = "m/s" }
go     = { role = "decision", type = "bool" }
"""

SCENE = """\
[scene]
title         = "A street"
unit          = "m"
left_to_right = [0.0, 10.0]
top_to_bottom = [5.0, 0.0]
north         = "up"
heading_unit  = "rad"
heading_zero  = "right"
heading_grows = "counterclockwise"

[[scene.ground]]
paint = "grass"
area  = [0.0, 0.0, 10.0, 5.0]

[[scene.ground]]
paint = "road"
area  = [0.0, 1.0, 10.0, 4.0]
tile  = 1.0
label = "the street"

[[scene.ground]]
paint = "stop"
line  = [6.0, 1.0, 6.0, 2.5]

[[scene.actors]]
mark    = "A"
name    = "the car"
kind    = "car"
role    = "investigated"
size    = [2.0, 1.0]
x       = "x"
y       = "y"
heading = "angle"
present = "there"
signal  = "signal"
signals = { NONE = "off", LEFT = "left", RIGHT = "right" }
shows   = ["speed"]

[[scene.actors]]
mark    = "P"
name    = "somebody"
kind    = "person"
size    = [0.5, 0.5]
x       = "where"
y       = 2.5
present = "who"
present_when = ["PERSON", "DOG"]
"""

_PATH = """\
(declare-const signal (_ BitVec 8))
(declare-const there Bool)
(declare-const |there'| Bool)
(declare-const speed (_ BitVec 32))
(declare-const |speed'| (_ BitVec 32))
(declare-const go Bool)
(assert {condition})
(assert (= |there'| there))
(assert (= |speed'| speed))
(assert (= go {go}))
"""

FACT = {
    "x": "2.0",
    "y": "1.5",
    "angle": "0.0",
    "signal": "RIGHT",
    "who": "PERSON",
    "where": "7",
    "there": "true",
    "speed": "0.0",
    "go": "true",
}


def project(folder: Path, scene: str = SCENE, program: str = PROGRAM) -> Path:
    """A project: `go` holds exactly if the signal is RIGHT."""
    folder.mkdir(exist_ok=True)
    (folder / "go.smt2").write_text(_PATH.format(condition="(= signal #x02)", go="true"))
    (folder / "stay.smt2").write_text(_PATH.format(condition="(not (= signal #x02))", go="false"))
    (folder / "log.jsonl").write_text(json.dumps({"step": 3} | FACT) + "\n")
    (folder / "soid.toml").write_text(program + scene, encoding="utf-8")
    return folder


def a_scene(folder: Path, scene: str = SCENE, program: str = PROGRAM) -> Scene:
    return scene_of(load(project(folder, scene, program)))


def values(scene: Scene, **other: str) -> dict[str, int]:
    """Bits of all variables: the given values, else the factual ones."""
    return {path: parse(scene.interface.variable(path).type, text) for path, text in (FACT | other).items()}
