"""Compiles and calls the decision program, `car.c`: drivers learn with the program that is analysed."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import Final, final

from msgspec import Struct
from msgspec.structs import astuple

from soid.engine.llvm.compiler.compilation import Build, compile_native

HERE: Final = Path(__file__).parent
DRIVERS: Final = ("standard", "impatient", "pathological")
TOGETHER: Final = "together"  # the folder of the project with all of them
UNTAUGHT: Final = "untaught"  # the program with an empty table
AGENTS: Final = 5  # as many as the program has room for
SITUATIONS: Final = 1024

_AGENT: Final = struct.Struct("@?ffffif")  # as the C compiler lays out `struct agent`
ABSENT: Final = bytes(_AGENT.size)  # a car that is not there


class Signal(IntEnum):
    """The values of the program's `enum signal`."""

    STRAIGHT = 0
    LEFT = 1
    RIGHT = 2


class Feature(IntEnum):
    """The bit of a situation's number that each feature is."""

    IMPATIENT = 1 << 0
    CLOSE = 1 << 1
    TAILGATING = 1 << 2
    COMING = 1 << 3
    APPROACHED = 1 << 4
    SAFE = 1 << 5
    OCCUPIED = 1 << 6
    RIGHT_OF_WAY = 1 << 7
    ENTERED = 1 << 8
    AT_LINE = 1 << 9


@final
class Seen(Struct, frozen=True):
    """One car as the program sees it, before its numbers are rounded to the program's floats."""

    x: float
    z: float
    angle: float
    speed: float
    signal: Signal
    arrived: float

    def packed(self) -> bytes:
        return _AGENT.pack(True, *astuple(self))


def unpacked(block: bytes) -> dict[str, bool | float | str]:
    """One car as a log has it, every bit of its floats kept.

    >>> unpacked(Seen(1.376, 0.0, 0.0, 0.5, Signal.RIGHT, 0.25).packed())["x"]
    1.3760000467300415
    """
    seen = dict(zip(("present", *Seen.__struct_fields__), _AGENT.unpack(block), strict=True))
    return seen | {"signal": Signal(seen["signal"]).name}


class CarProgram:
    """The compiled program of one driver, and the memory of one car that it drives."""

    def __init__(self, driver: str) -> None:
        self.driver = driver
        build = Build((Path("car.c"),), defines=(f"DRIVER_{driver.upper()}",), root=HERE)
        self._library = ctypes.CDLL(str(compile_native(build)))
        self._world = ctypes.create_string_buffer(_AGENT.size * AGENTS)
        self._memory = ctypes.c_int(0)
        self._arguments = (ctypes.byref(self._world), ctypes.byref(self._memory))
        self._move = ctypes.c_bool.in_dll(self._library, "move")
        self._situation = self._library.situation
        self._situation.restype = ctypes.c_int

    @property
    def waited(self) -> int:
        """The car's memory."""
        return self._memory.value

    @waited.setter
    def waited(self, calls: int) -> None:
        self._memory.value = calls

    def see(self, cars: Sequence[bytes]) -> None:
        """Set what it perceives: packed cars, itself first."""
        self._world.raw = b"".join(cars) + ABSENT * (AGENTS - len(cars))

    def perceived(self) -> list[dict[str, bool | float | str]]:
        """What it perceives, as a log has it."""
        raw = self._world.raw
        return [unpacked(raw[at : at + _AGENT.size]) for at in range(0, len(raw), _AGENT.size)]

    def situation(self) -> int:
        """The row of the table for what it perceives now."""
        return int(self._situation(*self._arguments))

    def remember(self, moves: bool) -> None:
        """Change its memory as if it had decided so."""
        self._library.remember(*self._arguments, moves)

    def drive(self) -> bool:
        self._library.drive(*self._arguments)
        return self._move.value
