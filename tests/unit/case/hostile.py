"""A project whose every text is an attack on the page that shows it: it must be visible and do nothing."""

from __future__ import annotations

import json
from pathlib import Path

MARKUP = "\"'><script>alert(1)</script><img src=http://evil.example onerror=alert(1)>&lt"
ATTACK = f"{MARKUP};\u202e"

MANIFEST = """
[program]
name   = {program}
engine = "smtlib"
paths  = ["*.smt2"]

[trace]
file     = {log}
keyframe = 1

[variables]
x      = {{ role = "environment", type = "int32", label = {label}, unit = {unit}, domain = [0, 90] }}
kind   = {{ role = "environment", type = "enum", width = 8, labels = ["ONE", "TWO"], label = {label} }}
seen   = {{ role = "state", type = "bool", label = {label} }}
choice = {{ role = "decision", type = "enum", width = 8, labels = ["STAY", "GO"], label = {label}, says = {says} }}

[story]
happened = {happened}
harm     = {harm}

[questions]
scripts = [{script}]
ask     = ["would choice == STAY if x is anything"]

[scene]
title         = {title}
unit          = {unit}
left_to_right = [0.0, 100.0]
top_to_bottom = [0.0, 50.0]

[[scene.ground]]
paint = "obstacle"
area  = [10.0, 10.0, 90.0, 20.0]
label = {ground}

[[scene.actors]]
mark    = "A"
name    = {actor}
kind    = "thing"
size    = [5.0, 5.0]
x       = "x"
y       = 25.0
shows   = ["kind"]
"""

PATH = """
(set-logic QF_BV)
(declare-const x (_ BitVec 32))
(declare-const kind (_ BitVec 8))
(declare-const seen Bool)
(declare-const choice (_ BitVec 8))
(declare-const |seen'| Bool)
(assert {when})
(assert (= choice {choice}))
(assert (= |seen'| true))
(check-sat)
"""


def project(folder: Path) -> Path:
    """It stays below 50, and goes from there on, whatever the kind."""
    folder.mkdir()
    # a file's name is shorter than the whole of it, and has no slash
    name = "<script>alert(1)<img src=x onerror=alert(1)>&lt;\"'"
    log = f"{name}.jsonl"
    named = ("program", "label", "unit", "title", "ground", "actor", "happened", "harm")
    said = {**{each: f"{each} {ATTACK}" for each in named}, "log": log, "script": f"{name}.soid"}
    says = f"{{ STAY = {_toml(f'stay {MARKUP}')}, GO = {_toml(f'go {MARKUP}')} }}"  # phrases have no hidden signs
    (folder / "soid.toml").write_text(MANIFEST.format(says=says, **{key: _toml(text) for key, text in said.items()}))
    (folder / f"{name}.soid").write_text(f"# {ATTACK}\nmight choice == GO if x is anything\n")
    (folder / f"low {name}.smt2").write_text(PATH.format(when="(bvslt x #x00000032)", choice="#x00"))
    (folder / f"high {name}.smt2").write_text(PATH.format(when="(not (bvslt x #x00000032))", choice="#x01"))
    step = {"step": 1, "x": 30, "kind": "ONE", "seen": False, "choice": "STAY", "seen'": True}
    (folder / log).write_text(json.dumps(step) + "\n")
    return folder


def _toml(text: str) -> str:
    """A basic string of TOML, which escapes as JSON does."""
    return json.dumps(text)
