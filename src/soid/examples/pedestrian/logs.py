"""Drives both versions to the crossing, and writes their logs: `python -m soid.examples.pedestrian.logs`.

The car comes along its way; a truck that waits to turn stands beside it; a pedestrian walks out from behind the truck,
against the signal. The program is the compiled one. Its floats are float32, and written with nine digits they read back
to the same bits. `scene` in the log is what was there, whether or not the car knew of it.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct

from soid.engine.llvm.c_source import c_source
from soid.engine.llvm.compiler.compilation import compile_native
from soid.engine.llvm.variables.discovery import build_of
from soid.engine.manifest_reader import load

#: the version that heeds warnings, and the one that does not
FOLDERS: Final = (Path(__file__).parent, Path(__file__).parent / "self_reliant")

KINDS: Final = ("NOBODY", "PEDESTRIAN", "CYCLIST")
WARNED_AT: Final = 3  # the step at which the intersection manager's warning arrives

_DT: Final = 0.1  # s
_SUBSTEPS: Final = 100  # of the world, for each decision
_SPEED: Final = 14.0  # m/s, of the car when it is warned
_CROSSING: Final = 28.0  # m, to the crossing then
_OFFSET: Final = 2.5  # m, of the road user from the near edge of the car's way then
_PACE: Final = {"PEDESTRIAN": 1.4, "CYCLIST": 4.0}  # m/s, what they really do
_WAY: Final = 2.5  # m, width of the car's way
_LENGTH: Final = 4.5  # m, of the car
_TRUCK_EDGE: Final = 0.4  # m, from the near edge of the car's way
_TRUCK_FRONT: Final = 1.5  # m, before the crossing

_FLOAT: Final = ctypes.c_float


class _Car(ctypes.Structure):
    _fields_ = (("speed", _FLOAT), ("crossing", _FLOAT), ("dt", _FLOAT))


class _Sighting(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int), ("offset", _FLOAT))


class _Warning(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int), ("offset", _FLOAT), ("age", _FLOAT))


class _Brake(ctypes.Structure):
    _fields_ = (("brake", _FLOAT),)


@final
class _World(Struct):
    """Where the car and the road user are."""

    speed: float
    crossing: float  # m, from the car's front
    offset: float  # m, of the road user
    pace: float  # m/s, of the road user
    contact: bool = False

    def sees(self) -> bool:
        """Whether the line from the middle of the car's front to the road user passes the truck."""
        if self.crossing <= _TRUCK_FRONT:
            return True
        middle = -_WAY / 2
        beside_truck = self.offset + (middle - self.offset) * _TRUCK_FRONT / self.crossing
        return beside_truck < _TRUCK_EDGE

    def move(self, brake: float) -> None:
        """Until the next decision, or until they touch."""
        h = _DT / _SUBSTEPS
        for _ in range(_SUBSTEPS):
            slower = max(0.0, self.speed - brake * h)
            self.crossing -= (self.speed + slower) / 2 * h
            self.speed = slower
            self.offset -= self.pace * h
            self.contact = -_LENGTH <= self.crossing <= 0 and -_WAY <= self.offset <= 0
            if self.contact:
                return

    def is_over(self) -> bool:
        return self.contact or self.speed == 0 or self.crossing < -_LENGTH


@final
class Drive(Struct, frozen=True):
    """The result of a drive."""

    log: str
    contact: bool  # the car hit the road user
    speed: float  # m/s, of the car at the end


def drive(folder: Path, *, warned_of: str = "CYCLIST", really: str = "PEDESTRIAN") -> Drive:
    """One drive of the version in a folder; in fact it was warned of a cyclist, and it was a pedestrian."""
    plan = _compiled(folder)
    before = WARNED_AT * _DT
    world = _World(_SPEED, _CROSSING + _SPEED * before, _OFFSET + _PACE[really] * before, _PACE[really])
    warning, memory = _Warning(), _Brake(0.0)
    lines: list[str] = []
    while not world.is_over():
        step = len(lines)
        if step >= WARNED_AT:
            offset = world.offset if step == WARNED_AT else warning.offset
            warning = _Warning(KINDS.index(warned_of), offset, (step - WARNED_AT) * _DT)
        car = _Car(world.speed, world.crossing, _DT)
        seen = _Sighting(KINDS.index(really), world.offset) if world.sees() else _Sighting()
        scene = f'{{"offset": {world.offset:.3f}}}'
        last, control = memory.brake, _Brake()
        plan(*map(ctypes.byref, (car, seen, warning, memory, control)))
        world.move(control.brake)
        lines.append(
            f'{{"step": {step}, "car": {_text(car)}, "seen": {_text(seen)}, "warning": {_text(warning)}, '
            f'"memory": {{"brake": {last:.9g}}}, "control": {_text(control)}, "memory.brake\'": {memory.brake:.9g}, '
            f'"scene": {scene}}}\n'
        )
    return Drive("".join(lines), world.contact, world.speed)


def _compiled(folder: Path) -> Callable[..., None]:
    program = load(folder).program
    plan: Any = ctypes.CDLL(str(compile_native(build_of(c_source(program), folder)))).plan
    plan.restype = None
    return plan  # type: ignore[no-any-return]


def _text(struct: ctypes.Structure) -> str:
    """A struct as JSON."""
    values = [(field[0], getattr(struct, field[0])) for field in struct._fields_]
    shown = (f'"{name}": "{KINDS[value]}"' if name == "kind" else f'"{name}": {value:.9g}' for name, value in values)
    return f"{{{', '.join(shown)}}}"


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
