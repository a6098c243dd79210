"""One run of a replay executable: a process whose only input is a file in memory that it shares with soid.

The file has the inputs, then the outputs and how the run ended:

    header | for each region: mask, mask of later steps, then for each step what is put there and what is left there

Keep it in step with `harness.c`, which says what each field means.
"""

from __future__ import annotations

import mmap
import os
import secrets
import select
import struct
import subprocess
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.allowance import allowance
from soid.engine.replay import Crashed, NotAvailable, TimedOut
from soid.jail.cell import NO_JAIL, Cell

PAGE: Final = 4096
MOST_REGIONS: Final = 4000
MOST_BYTES: Final = 1 << 28  # of a file
FILL: Final = 0xA5  # the content of memory that was not set, so that a missing write shows
_NO_HOLDER: Final = (1 << 64) - 1
_TEXT: Final = 256
_HEADER: Final = struct.Struct(f"<8Q{_TEXT}s")
_REGION: Final = struct.Struct("<6Q")
_MAY_RUN_UNCONFINED: Final = 1
_AT_ADDRESS: Final = 2


@final
class Status(IntEnum):
    """How the harness says that a run ended."""

    NOT_STARTED = 0
    RUNNING = 1  # and nothing after it: the program ended the process itself, or was ended
    RETURNED = 2
    TRAPPED = 3  # by a check of the trapping build; detail: its number
    ASSERTED = 4  # detail: the line; text: the file
    UNDEFINED = 5  # it called an undefined function; detail: its number
    NOT_LOGGED = 6  # it read an input more often than that is logged; detail: the number of the function
    NOT_CONFINED = 7  # this machine cannot confine it, and nothing was run
    BROKEN = 8  # the harness could not do its work
    NO_ADDRESS = 9  # this machine cannot put memory at the address of a register; detail: the address


@final
class RegionImage(Struct):
    """What is put into one region before each step."""

    steps: list[bytearray]
    first: bytearray  # the bits that are put there before the first step,
    later: bytearray  # and before each later one; the others stay as they are
    given: bool = True  # memory that the entry is given, not a global of the program
    fenced: bool = False  # it ends where its last page ends, so that an access beyond its end stops the program
    address: int | None = None  # where it must lie, if it is a register of a device
    holder: tuple[int, int] | None = None  # the region that has a pointer to this one, and its offset there

    @property
    def size(self) -> int:
        return len(self.first)


@final
class ReplayOutcome(Struct, frozen=True):
    """What is in the file after a run."""

    status: Status
    detail: int
    text: str
    steps: Sequence[Sequence[bytes]] = ()  # every region after each step; only where it returned


@final
class SharedFile:
    """An unnamed file in memory with everything that one run needs."""

    def __init__(self, images: Sequence[RegionImage], steps: int, *, unconfined: bool) -> None:
        self._token = secrets.randbits(56) << 8
        self._sizes = [image.size for image in images]
        self._steps = steps
        body = b"".join(_block(image) for image in images)
        self._start = _whole_pages(_HEADER.size + len(images) * _REGION.size)
        length = _whole_pages(len(body))
        self.fd = os.memfd_create("soid-replay")
        os.ftruncate(self.fd, self._start + length)
        self._map = mmap.mmap(self.fd, self._start + length)
        flags = _MAY_RUN_UNCONFINED if unconfined else 0
        self._map.write(_HEADER.pack(self._token, 0, 0, flags, self._start, length, steps, len(images), b""))
        for image, at in zip(images, self._places(), strict=True):
            holder = image.holder or (_NO_HOLDER, image.address or 0)
            kind = _AT_ADDRESS if image.address is not None else int(not image.given)
            self._map.write(_REGION.pack(kind, image.size, int(image.fenced), at, *holder))
        self._map[self._start : self._start + len(body)] = body

    def _places(self) -> Iterator[int]:
        """Where each region's part of the body begins."""
        at = 0
        for size in self._sizes:
            yield at
            at += size * (2 + 2 * self._steps)

    def outcome(self) -> ReplayOutcome:
        """What the run left; a status without the token was not written by the harness."""
        _, answer, detail, *_, text = _HEADER.unpack(self._map[: _HEADER.size])
        known = answer ^ self._token
        status = Status(known) if known in Status.__members__.values() else Status.NOT_STARTED
        returned = status is Status.RETURNED
        steps = self._left() if returned else ()
        return ReplayOutcome(status, detail, text.split(b"\0")[0].decode(errors="replace"), steps)

    def _left(self) -> Sequence[Sequence[bytes]]:
        """Every region after each step. A log has thousands of steps: each region is copied once and then cut."""
        found = []
        for at, size in zip(self._places(), self._sizes, strict=True):
            start, end = self._start + at + 3 * size, self._start + at + size * (2 + 2 * self._steps)
            after = self._map[start:end]
            cuts = range(0, len(after), 2 * size) if size else range(0)
            found.append([after[cut : cut + size] for cut in cuts] if size else [b""] * self._steps)
        return list(zip(*found, strict=True)) if found else [()] * self._steps

    def close(self) -> None:
        self._map.close()
        os.close(self.fd)


def _block(image: RegionImage) -> bytes:
    parts: list[bytes | bytearray] = [bytes(image.size)] * (2 * len(image.steps))  # room for what it leaves there
    parts[::2] = image.steps
    return b"".join([image.first, image.later, *parts])


def _whole_pages(size: int) -> int:
    return -(-size // PAGE) * PAGE


@final
class ReplayLimits(Struct, frozen=True):
    """What a replay may cost."""

    seconds: float = 10.0  # of wall-clock time
    memory: int = 1 << 30  # bytes of address space


def run(
    cell: Cell, command: Sequence[str | Path], images: Sequence[RegionImage], steps: int, seconds: float
) -> ReplayOutcome | Crashed | TimedOut | NotAvailable:
    """Run a command once. The harness wrote a ReplayOutcome; any other result comes from how the process ended."""
    shared = SharedFile(images, steps, unconfined=cell.lenient)
    try:
        try:
            process = cell.start(command, stdin=shared.fd)
        except OSError as error:
            return NotAvailable(f"the compiled program cannot be started: {error.strerror}")
        with process, allowance().stopping(process.kill):
            if not _ends(process, seconds):
                process.kill()
                return TimedOut(seconds)
        return _judged(process.returncode, shared.outcome())
    finally:
        shared.close()


def _ends(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether the process ends in time."""
    try:
        fd = os.pidfd_open(process.pid)
    except OSError:  # an older kernel
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True
    try:
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(fd)


def _judged(code: int, outcome: ReplayOutcome) -> ReplayOutcome | Crashed | NotAvailable:
    if code < 0:
        return Crashed(-code)
    if outcome.status is Status.NOT_STARTED and code == NO_JAIL:
        return NotAvailable("this machine cannot confine it, and it may not run unconfined")
    if outcome.status is Status.NOT_STARTED:
        return NotAvailable("the compiled program does not start on this machine")
    return outcome
