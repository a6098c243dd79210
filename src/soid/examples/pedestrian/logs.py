"""Drives both versions to the crossing, and writes their logs: `python -m soid.examples.pedestrian.logs`.

The car comes along its way; a truck that waits to turn stands beside it; a pedestrian with a bicycle walks out from
behind the truck, against the signal, and the intersection manager takes them for a cyclist. The programs are the
compiled ones, and so is the world (`world.c`). Their floats are float32, and written with nine digits they read back to
the same bits.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct

from soid.engine.llvm.c_source import c_source
from soid.engine.llvm.compiler.compilation import Build, compile_native
from soid.engine.llvm.variables.discovery import build_of
from soid.engine.manifest_reader import load

#: the version that heeds warnings, and the one that does not
FOLDERS: Final = (Path(__file__).parent, Path(__file__).parent / "self_reliant")

KINDS: Final = ("NOBODY", "PEDESTRIAN", "CYCLIST")
WARNED_AT: Final = 3  # the step at which the intersection manager's warning arrives
BICYCLE: Final = 1.6  # m, the length of a person with a bicycle in the manager's camera; of one without it:
PERSON: Final = 0.6  # m

_DT: Final = 0.1  # s
_SPEED: Final = 14.0  # m/s, of the car when it is warned
_CROSSING: Final = 28.0  # m, to the crossing then
_OFFSET: Final = 2.5  # m, of the road user from the near edge of the car's way then
_PACE: Final = {"PEDESTRIAN": 1.4, "CYCLIST": 4.0}  # m/s, what they really do
_LENGTH: Final = 4.5  # m, of the car

_FLOAT: Final = ctypes.c_float


class _Car(ctypes.Structure):
    _fields_ = (("speed", _FLOAT), ("crossing", _FLOAT), ("dt", _FLOAT))


class _Sighting(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int), ("offset", _FLOAT))


class _Warning(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int), ("offset", _FLOAT), ("age", _FLOAT))


class _Walker(ctypes.Structure):
    _fields_ = (("offset", _FLOAT), ("pace", _FLOAT), ("seen_as", ctypes.c_int))


class _Camera(ctypes.Structure):
    _fields_ = (("person", ctypes.c_bool), ("length", _FLOAT))


class _Brake(ctypes.Structure):
    _fields_ = (("brake", _FLOAT),)


@final
class Drive(Struct, frozen=True):
    """The result of a drive."""

    log: str
    contact: bool  # the car hit the road user
    speed: float  # m/s, of the car at the end


def drive(folder: Path, *, length: float = BICYCLE, really: str = "PEDESTRIAN") -> Drive:
    """One drive of the version in a folder: a road user of a kind, and of a length in the manager's camera."""
    plan, manage, advance = _compiled(folder)
    before = WARNED_AT * _DT
    car = _Car(_SPEED, _CROSSING + _SPEED * before, _DT)
    walker = _Walker(_OFFSET + _PACE[really] * before, _PACE[really], KINDS.index(really))
    seen, warning, camera, memory = _Sighting(), _Warning(), _Camera(False, length), _Brake()
    lines: list[str] = []
    contact = ctypes.c_bool()
    while not contact and car.speed > 0 and car.crossing >= -_LENGTH:
        perceived = {"car": car, "seen": seen, "warning": warning, "walker": walker, "camera": camera}
        told = ", ".join(f'"{name}": {_text(struct)}' for name, struct in perceived.items())
        last, control = memory.brake, _Brake()
        plan(*map(ctypes.byref, (car, seen, warning, memory, control)))
        sends = manage(ctypes.byref(camera))
        lines.append(
            f'{{"step": {len(lines)}, {told}, "memory": {{"brake": {last:.9g}}}, "control": {_text(control)}, '
            f'"memory.brake\'": {memory.brake:.9g}, "sends": "{KINDS[sends]}"}}\n'
        )
        state = map(ctypes.byref, (car, seen, warning, walker, camera))
        advance(*state, _FLOAT(control.brake), sends, ctypes.byref(contact))
    return Drive("".join(lines), contact.value, car.speed)


def _compiled(folder: Path) -> tuple[Any, Any, Any]:
    """The car's program, the manager's, and the world."""
    car = build_of(c_source(load(folder).program), folder)
    here = [Build((Path(name),), root=FOLDERS[0]) for name in ("manager.c", "world.c")]
    plan, manage, advance = (
        getattr(ctypes.CDLL(str(compile_native(build))), entry)
        for build, entry in zip((car, *here), ("plan", "manage", "advance"), strict=True)
    )
    plan.restype = advance.restype = None
    return plan, manage, advance


def _text(struct: ctypes.Structure) -> str:
    """A struct as JSON."""
    values = [(field[0], getattr(struct, field[0])) for field in struct._fields_]
    return f"{{{', '.join(f'{chr(34)}{name}{chr(34)}: {_value(name, value)}' for name, value in values)}}}"


def _value(name: str, value: Any) -> str:
    if name in ("kind", "seen_as"):
        return f'"{KINDS[value]}"'
    return str(value).lower() if isinstance(value, bool) else f"{value:.9g}"


def main() -> int:
    for folder in FOLDERS:
        file = folder / "log.jsonl"
        file.touch()  # a manifest can be read only if its log exists
        driven = drive(folder)
        file.write_text(driven.log)
        end = f"hits the pedestrian at {driven.speed:.1f} m/s" if driven.contact else "does not hit the pedestrian"
        print(f"{file}: {end}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
