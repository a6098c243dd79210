"""The message format between a process and its workers: frames of a kind, a length and a record as JSON.

>>> frame = message_frame([2**70, Path("a.case")])
>>> kind, length = HEADER.unpack_from(frame)
>>> kind == MESSAGE, read_message(frame[HEADER.size :], tuple[int, Path])
(True, (1180591620717411303424, PosixPath('a.case')))

A record is decoded as the type that its reader expects, so a message never runs code. JSON rather than msgpack, because
the integers of a formula have any width.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any, Final

import msgspec

HEADER: Final = struct.Struct("<cQ")  # the frame's kind, and the length of the record
MESSAGE: Final = b"m"
READY: Final = b"r"  # from a worker, once: it has loaded what it needs
TAKEN: Final = b"t"  # from a worker: it has read the next message


def message_frame(message: object) -> bytes:
    body = _ENCODER.encode(message)
    return HEADER.pack(MESSAGE, len(body)) + body


def read_message(body: bytes | bytearray, kind: Any) -> Any:
    """The record of a frame; a ValidationError if it is not of that type."""
    return msgspec.json.decode(body, type=kind, dec_hook=_read)


def _write(value: object) -> str:
    assert isinstance(value, Path)
    return os.fsencode(value).decode("latin-1")  # a path is bytes, which need not be UTF-8


def _read(kind: type, value: Any) -> Path:
    assert kind is Path
    return Path(os.fsdecode(value.encode("latin-1")))


_ENCODER: Final = msgspec.json.Encoder(enc_hook=_write)
