"""Drives two cars in one lane until they touch, and writes the log: `python -m soid.examples.proper_response.logs`.

The guard and the world are the compiled programs. Their floats are float32, and written with nine digits they read back
to the same bits.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Any, Final

from soid.engine.llvm.compiler.compilation import Build, compile_native

HERE: Final = Path(__file__).parent

_FRONT_BRAKES_AT: Final = 2  # the step
_BRAKING: Final = 8.0  # m/s^2, of the car in front
_WORN: Final = 3.0  # m/s^2, the hardest braking that the car behind comes to; its guard was told of 4
_LONGEST: Final = 100  # steps

_FLOAT: Final = ctypes.c_float


def _floats(name: str, *fields: str) -> type[ctypes.Structure]:
    return type(name, (ctypes.Structure,), {"_fields_": [(field, _FLOAT) for field in fields]})


_Car: Final = _floats("_Car", "rho", "accel_max", "brake_min", "brake_max")
_Road: Final = _floats("_Road", "rear_speed", "front_speed", "distance", "dt")
_Drive: Final = _floats("_Drive", "wants", "brakes", "front")


class _Guard(ctypes.Structure):
    _fields_ = (("active", ctypes.c_bool), ("elapsed", _FLOAT))


class _Allowance(ctypes.Structure):
    _fields_ = (("acceleration", _FLOAT), ("brake", ctypes.c_bool))


def drive(brakes: float = _WORN) -> tuple[str, bool]:
    """The log of a drive, and whether the cars have touched at its end."""
    respond, advance = (_compiled(file, entry) for file, entry in (("guard.c", "respond"), ("world.c", "advance")))
    car, road = _Car(0.5, 3.0, 4.0, 8.0), _Road(20.0, 20.0, 43.6, 0.1)
    guard, limits, touch = _Guard(), _Allowance(), ctypes.c_bool()
    lines: list[str] = []
    while not touch and len(lines) < _LONGEST:
        driving = _Drive(1.0, brakes, 0.0 if len(lines) < _FRONT_BRAKES_AT else -_BRAKING)
        before = f'"car": {_text(car)}, "road": {_text(road)}, "drive": {_text(driving)}, "guard": {_text(guard)}'
        respond(*map(ctypes.byref, (car, road, guard, limits)))
        after = f'"guard.active\'": {_value(guard.active)}, "guard.elapsed\'": {_value(guard.elapsed)}'
        lines.append(f'{{"step": {len(lines)}, {before}, "limits": {_text(limits)}, {after}}}\n')
        advance(ctypes.byref(road), ctypes.byref(driving), _FLOAT(limits.acceleration), ctypes.byref(touch))
    return "".join(lines), touch.value


def _compiled(file: str, entry: str) -> Any:
    function = getattr(ctypes.CDLL(str(compile_native(Build((Path(file),), root=HERE)))), entry)
    function.restype = None
    return function


def _text(struct: ctypes.Structure) -> str:
    """A struct as JSON."""
    shown = (f'"{field[0]}": {_value(getattr(struct, field[0]))}' for field in struct._fields_)
    return f"{{{', '.join(shown)}}}"


def _value(value: bool | float) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:.9g}"


def main() -> int:
    log, touch = drive()
    (HERE / "log.jsonl").write_text(log)
    print(f"{HERE / 'log.jsonl'}: the cars {'touch' if touch else 'do not touch'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
