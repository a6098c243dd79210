"""Two projects as a vendor hands them over: sources and a recorder's file, and no soid.toml.

They are for trying how far it is from nothing to a proved counterfactual. `python -m tests.projects.recorders` runs the
compiled programs and writes what their recorders keep: not the programs' names, not their units, not their counters.
"""

from __future__ import annotations

import ctypes
import json
import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from soid.engine.llvm.c_source import c_source
from soid.engine.llvm.compiler.compilation import compile_native
from soid.engine.llvm.variables.discovery import build_of
from soid.engine.manifest_reader import load

FOLDER: Final = Path(__file__).parent
INFUSION, RAILWAY = FOLDER / "infusion", FOLDER / "railway"

_START: Final = datetime(2026, 3, 2, 8, 15, tzinfo=UTC)
_MMHG: Final = 0.133322387415  # kPa


class Inputs(ctypes.Structure):
    """`struct pump_inputs`."""

    _fields_ = (
        ("door_open", ctypes.c_bool),
        ("volume_done", ctypes.c_bool),
        ("temperature", ctypes.c_float),
        ("pressure", ctypes.c_float),
        ("bubble", ctypes.c_int),
    )


class Outputs(ctypes.Structure):
    """`struct pump_outputs`."""

    _fields_ = (("action", ctypes.c_int), ("alarm", ctypes.c_int), ("heater", ctypes.c_bool))


class Approach(ctypes.Structure):
    """`railway::Approach`."""

    _fields_ = (
        ("speed", ctypes.c_float),
        ("distance", ctypes.c_float),
        ("track", ctypes.c_int),
        ("barrier", ctypes.c_int),
        ("lamp_works", ctypes.c_bool),
    )


def compiled(project: Path, entry: str, symbol: str) -> Callable[..., Any]:
    """A function of a project's program, with its counters as they are at the start."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(project, folder, dirs_exist_ok=True)
        sources = sorted(file.name for file in project.iterdir() if file.suffix in (".c", ".cpp"))
        manifest = Path(folder) / "soid.toml"
        manifest.write_text(
            f'[program]\nname = "p"\nengine = "c"\nsources = {json.dumps(sources)}\nentry = "{entry}"\n'
        )
        program = load(manifest, log_needed=False).program
        library = compile_native(build_of(c_source(program), Path(folder)))
        own = shutil.copy(library, Path(folder) / "own.so")  # a library that is loaded twice has its counters once
        found: Callable[..., Any] = ctypes.CDLL(str(own))[symbol]
        return found


def infusion() -> str:
    """The line is kinked for a while, at last for too long; the fluid is warm in time."""
    tick = compiled(INFUSION, "pump_tick", "pump_tick")
    lines = []
    for step in range(120):
        kinked = 40 <= step < 44 or 90 <= step < 104
        inputs = Inputs(
            door_open=step < 3,
            volume_done=step >= 112,
            temperature=round(22.0 + 0.2 * step, 1) if step < 76 else 37.1,
            pressure=(330 + step % 7 if kinked else 95 + step % 11) * _MMHG,
            bubble=(step * 7) % 23,
        )
        outputs = Outputs()
        tick(ctypes.byref(inputs), ctypes.byref(outputs))
        when = (_START + timedelta(milliseconds=100 * step)).isoformat(timespec="milliseconds")
        sensors = {
            "fluid_temp_c": round(inputs.temperature, 1),
            "line_mmhg": round(inputs.pressure / _MMHG),
            "bubble_ul": inputs.bubble,
        }
        event = {
            "ts": when.replace("+00:00", "Z"),
            "device": "IP-7/0413",
            "door": "OPEN" if inputs.door_open else "CLOSED",
            "dose": "DONE" if inputs.volume_done else "PENDING",
            "sensors": sensors,
            "out": {
                "action": ("STOP", "KEEP_OPEN", "INFUSE")[outputs.action],
                "alarm": ("NONE", "DOOR", "AIR", "OCCLUSION", "HOT")[outputs.alarm],
                "heater": int(outputs.heater),
            },
        }
        lines.append(json.dumps(event) + "\n")
    return "".join(lines)


def railway() -> str:
    """A train comes and passes; its barrier is slow; a second train is near before it may open."""
    control = compiled(RAILWAY, "railway::control", "_ZN7railway7controlERKNS_8ApproachE")
    rows = ["time [s];v [km/h];distance [m];circuit;barrier;lamp;order\n"]
    place, closing = 1403.0, 0
    for step in range(160):
        speed = 90.0 if place > -200 else 72.0
        place = 704.0 if step == 135 else place - speed / 3.6 / 2
        barrier = 0 if closing == 0 else 1 if closing < 22 else 2
        occupied = -120.0 < place < 10.0
        approach = Approach(speed / 3.6, place, int(occupied), barrier, step != 70)
        order = control(ctypes.byref(approach))
        closing = 0 if order == 0 else closing + 1
        cells = (
            f"{step / 2:.1f}",
            f"{speed:.1f}",
            f"{place:.1f}",
            ("free", "occupied")[occupied],
            ("open", "closing", "closed")[barrier],
            ("fault", "ok")[approach.lamp_works],
            ("RAISE", "LOWER", "WARN")[order],
        )
        rows.append(";".join(cells) + "\n")
    return "".join(rows)


#: the recorder's file of each project, and what writes it
RECORDERS: Final = {INFUSION / "events.jsonl": infusion, RAILWAY / "recorder.csv": railway}

if __name__ == "__main__":
    for file, recorded in RECORDERS.items():
        file.write_text(recorded())
