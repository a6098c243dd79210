"""Flies the drone for a minute, and writes what its recorder keeps: `python -m soid.examples.drone.logs`.

The pilot flies it out over a canal and has it hold its place. A gust makes the voltage sag. The link to the pilot is
lost for a while, and the drone turns for home; once the link is back, it holds its place again, as the switch says.
Then its GPS fails, and it lands in the water. The program is the compiled one.

The recorder is a vendor's: `recorder.csv` has names, labels, units and a clock of its own, two decimals, no number of a
step and none of the program's counters. soid.toml says what its columns are to the program.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final, final

from msgspec import Struct

from soid.engine.llvm.c_source import c_source
from soid.engine.llvm.compiler.compilation import compile_native
from soid.engine.llvm.variables.discovery import build_of
from soid.engine.manifest_reader import load

FOLDER: Final = Path(__file__).parent
SWITCHES: Final = ("PILOT_MANUAL", "PILOT_HOLD", "PILOT_RTH")
MODES: Final = ("MODE_HOVER", "MODE_MANUAL", "MODE_HOLD", "MODE_RTH", "MODE_LAND")

STEPS: Final = 300
_DT: Final = 0.2  # s
_TAKE_OFF: Final = range(10, 55)
_OUTWARD: Final = range(10, 120)  # after it, the pilot's switch is at HOLD
_GUST: Final = range(130, 142)
_LINK_LOST: Final = range(150, 186)
_GLITCH: Final = range(210, 213)
GPS_FAILS: Final = 228
_START: Final = 1_778_338_800_000  # ms since 1970: 9 May 2026, 15:00 UTC
_FOOT: Final = 0.3048  # m

_FLOAT: Final = ctypes.c_float


class Gps(ctypes.Structure):
    """`struct gps` of flight.h."""

    _fields_ = (("sats", ctypes.c_int), ("hdop", _FLOAT))


class Sensors(ctypes.Structure):
    """`struct sensors` of flight.h."""

    _fields_ = (
        ("gps", Gps),
        ("battery", _FLOAT),
        ("altitude", _FLOAT),
        ("distance_home", _FLOAT),
        ("pilot", ctypes.c_int),
        ("link", ctypes.c_int),
    )


class Command(ctypes.Structure):
    """`struct command` of flight.h."""

    _fields_ = (("mode", ctypes.c_int), ("climb", _FLOAT), ("speed", _FLOAT), ("alarm", ctypes.c_bool))


@final
class Flight:
    """The program, compiled, from its first tick on. Its counters are static: use one flight after the other."""

    def __init__(self, folder: Path = FOLDER) -> None:
        program = load(folder).program
        library: Any = ctypes.CDLL(str(compile_native(build_of(c_source(program), folder))))
        library.flight_init.restype = None
        library.flight_step.restype = Command
        library.flight_init()
        self._step: Callable[[Any], Command] = library.flight_step

    def step(self, sensors: Sensors) -> Command:
        return self._step(ctypes.byref(sensors))


@final
class _Airspace(Struct):
    """Where the drone is, and what is left in its battery."""

    altitude: float = 0.0  # m
    distance: float = 0.0  # m
    battery: float = 11.4  # V, without load

    def move(self, step: int, command: Command) -> None:
        """Until the next tick. What carries it about in the wind is left to its own regulation, except without GPS."""
        mode = MODES[command.mode]
        climb, speed = command.climb, -command.speed
        if mode == "MODE_MANUAL":
            climb, speed = 2.0 * (step in _TAKE_OFF), 5.0 * (step in _OUTWARD)
        if mode in ("MODE_HOVER", "MODE_LAND") and self.altitude > 0:
            speed = 0.4  # m/s, the wind
        self.altitude = max(0.0, self.altitude + climb * _DT)
        self.distance += speed * _DT
        self.battery -= 0.0025


def _gps(step: int, noise: Random) -> Gps:
    """It begins cold, glitches once, does not come back as good as it was, and fails."""
    if step < 6 or step in _GLITCH or step >= GPS_FAILS:
        return Gps(3 + int(noise.random() * 3), 3.0 + 2.5 * noise.random())
    if step < 20 or step >= _GLITCH.start - 4:
        return Gps(7 + int(noise.random() * 2), 1.5 + 0.5 * noise.random())
    return Gps(12 + int(noise.random() * 4), 0.8 + 0.25 * noise.random())


def _perceived(step: int, world: _Airspace, noise: Random) -> Sensors:
    sag = 0.75 if step in _GUST else 0.15 if step in _TAKE_OFF else 0.0
    link = 4 + int(noise.random() * 9) if step in _LINK_LOST else 96 - step // 5 + int(noise.random() * 5)
    return Sensors(
        gps=_gps(step, noise),
        battery=world.battery - sag + 0.02 * (noise.random() - 0.5),
        altitude=world.altitude + 0.1 * (noise.random() - 0.5),
        distance_home=world.distance + 0.6 * noise.random(),
        pilot=SWITCHES.index("PILOT_MANUAL" if step < _OUTWARD.stop else "PILOT_HOLD"),
        link=link,
    )


@final
class Recording(Struct, frozen=True):
    """What was kept of a flight, and what was not."""

    recorder: str  # recorder.csv
    perceived: tuple[Sensors, ...]  # with all their digits
    altitude: float  # m, at the end


def fly(seed: int = 16) -> Recording:
    """One flight; with another seed the wind, the GPS and the link are another day's."""
    flight, world, noise = Flight(), _Airspace(), Random(seed)
    rows = ["time_ms,sats,hdop,batt_v,alt_ft,home_m,switch,link_pct,mode\n"]
    perceived: list[Sensors] = []
    for step in range(STEPS):
        s = _perceived(step, world, noise)
        command = flight.step(s)
        world.move(step, command)
        perceived.append(s)
        rows.append(_row(step, s, command))
    return Recording("".join(rows), tuple(perceived), world.altitude)


def _row(step: int, s: Sensors, command: Command) -> str:
    switch, mode = (name.partition("_")[2] for name in (SWITCHES[s.pilot], MODES[command.mode]))
    return (
        f"{_START + round(step * _DT * 1000)},{s.gps.sats},{s.gps.hdop:.2f},{s.battery:.2f},{s.altitude / _FOOT:.2f},"
        f"{s.distance_home:.2f},{switch},{s.link},{mode}\n"
    )


def main() -> int:
    log = FOLDER / "recorder.csv"
    log.touch()  # a manifest can be read only if its log exists
    flown = fly()
    log.write_text(flown.recorder)
    print(f"{log}: {STEPS} steps, {flown.altitude:.1f} m above the water at the end")
    return 0


if __name__ == "__main__":
    sys.exit(main())
