"""The file that soid and the harness share: inputs in, outputs and how the run ended out.

    header | bytes and masks of globals | pages of the regions that the entry is given

Keep it in step with `harness.c`, which says what each field means.
"""

from __future__ import annotations

import mmap
import os
import secrets
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, final

PAGE: Final = 4096
MOST_REGIONS: Final = 4000
FILL: Final = 0xA5  # what memory that nobody has set is filled with, so that a missing write shows
_NOBODY: Final = (1 << 64) - 1
_TEXT: Final = 256
_HEADER: Final = struct.Struct(f"<9Q{_TEXT}s")
_REGION: Final = struct.Struct("<6Q")
_MAY_RUN_UNCONFINED: Final = 1


@final
class Status(IntEnum):
    """How the harness says that a run ended."""

    NOT_STARTED = 0
    RUNNING = 1  # and nothing after it: the program ended the process itself, or was ended
    RETURNED = 2
    TRAPPED = 3  # by a check of the trapping build; detail: its number
    ASSERTED = 4  # detail: the line; text: the file
    UNDEFINED = 5  # it called a function that nobody defines; detail: its number
    NOT_LOGGED = 6  # it asked for an input more often than that is logged; detail: the number of the function
    NOT_CONFINED = 7  # this machine cannot confine it, and nothing was run
    BROKEN = 8  # the harness could not do its work


@final
@dataclass(slots=True)
class Image:
    """The bytes of one region."""

    data: bytearray
    mask: bytearray | None = None  # of a global: the bits that are set from `data`; None: the entry is given it
    fenced: bool = False  # it ends where its last page ends: a step farther, and the program is stopped
    holder: tuple[int, int] | None = None  # the region, and where in it, that a pointer to this one is put into


@final
@dataclass(frozen=True, slots=True)
class Outcome:
    """What is in the file after a run."""

    status: Status
    detail: int
    text: str
    images: list[bytes] = field(default_factory=list)  # of every region; only where it returned


@final
class SharedFile:
    """An unnamed file in memory with everything that one run needs."""

    def __init__(self, images: Sequence[Image], seconds: int, memory: int, *, unconfined: bool) -> None:
        self._token = secrets.randbits(56) << 8
        self._places: list[tuple[int, int]] = []  # of each region's bytes in the file: where, and how many
        header = _whole_pages(_HEADER.size + len(images) * _REGION.size)
        copied = _whole_pages(sum(2 * len(image.data) for image in images if image.mask is not None))
        rows, size = self._lay_out(images, header, copied)
        flags = _MAY_RUN_UNCONFINED if unconfined else 0
        self.fd = os.memfd_create("soid-replay")
        os.ftruncate(self.fd, size)
        self._map = mmap.mmap(self.fd, size)
        self._map[: _HEADER.size] = _HEADER.pack(
            self._token, 0, 0, flags, seconds, memory, header, copied, len(images), b""
        )
        self._map[_HEADER.size : _HEADER.size + len(rows)] = rows
        for image, (at, length) in zip(images, self._places, strict=True):
            self._map[at : at + length] = bytes(image.data)
            if image.mask is not None:
                self._map[at + length : at + 2 * length] = bytes(image.mask)

    def _lay_out(self, images: Sequence[Image], header: int, copied: int) -> tuple[bytes, int]:
        """The harness's table of regions, and how long the file is; notes where each region's bytes are."""
        rows, global_at, given_at = b"", 0, header + copied
        for image in images:
            length = len(image.data)
            holder = image.holder or (_NOBODY, 0)
            if image.mask is not None:
                self._places.append((header + global_at, length))
                rows += _REGION.pack(1, global_at, length, global_at + length, *holder)
                global_at += 2 * length
                continue
            whole = _whole_pages(length)
            start = whole - length if image.fenced else 0
            self._places.append((given_at + start, length))
            rows += _REGION.pack(0, given_at, whole, start, *holder)
            given_at += whole
        return rows, given_at

    def outcome(self) -> Outcome:
        """What the run left; a status without its token was not written by the harness."""
        _, answer, detail, *_, text = _HEADER.unpack(self._map[: _HEADER.size])
        known = answer ^ self._token
        status = Status(known) if known in Status.__members__.values() else Status.NOT_STARTED
        images = [bytes(self._map[at : at + length]) for at, length in self._places]
        returned = status is Status.RETURNED
        return Outcome(status, detail, text.split(b"\0")[0].decode(errors="replace"), images if returned else [])

    def close(self) -> None:
        self._map.close()
        os.close(self.fd)


def _whole_pages(size: int) -> int:
    return -(-size // PAGE) * PAGE
