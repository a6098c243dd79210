"""The wire format of protocol buffers: a message as its fields, each with all of its values in the file's order.

A field is found by its tag, which is its number times 8, plus how its values are written (the wire type).

>>> fields(bytes([0x08, 0x96, 0x01, 0x12, 0x02, 0x68, 0x69]))  # field 1 is a number, field 2 has two bytes
{8: [150], 18: [b'hi']}
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from soid.errors import ProgramError

VARINT: Final = 0
FIXED64: Final = 1
BYTES: Final = 2
FIXED32: Final = 5

#: a message: the values of each tag; numbers are unsigned
Fields = dict[int, list[Any]]

_LONGEST: Final = 10  # bytes of a number


def broken(what: str) -> ProgramError:
    return ProgramError(f"The ONNX file is broken: {what}.", "Export the model again; the file may be cut off.")


def fields(data: bytes) -> Fields:
    """The fields of one message; nothing inside of them is looked at."""
    found: Fields = {}
    at, end = 0, len(data)
    while at < end:
        tag = data[at]
        if tag < 0x80:
            at += 1
        else:
            tag, at = varint(data, at)
        kind = tag & 7
        value: int | bytes
        if kind == VARINT:
            value, at = varint(data, at)
        elif kind == BYTES:
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
        elif kind == FIXED32:
            value, at = data[at : at + 4], at + 4
        elif kind == FIXED64:
            value, at = data[at : at + 8], at + 8
        else:
            raise broken(f"it has a field of kind {kind} at byte {at} of a message")
        if at > end or tag < 8:
            raise broken(f"a field ends at byte {at} of a message of {end} bytes")
        found.setdefault(tag, []).append(value)
    return found


def encoded(message: Fields) -> bytes:
    """A message with these fields; what is in it of one field keeps its order.

    >>> encoded({18: [b"hi"], 8: [150]}).hex(" ")
    '12 02 68 69 08 96 01'
    """
    parts: list[bytes] = []
    for tag, values in message.items():
        for value in values:
            parts.append(_as_varint(tag))
            if tag & 7 == VARINT:
                parts.append(_as_varint(value))
            elif tag & 7 == BYTES:
                parts += (_as_varint(len(value)), value)
            else:
                parts.append(value)
    return b"".join(parts)


def _as_varint(value: int) -> bytes:
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*found, value))


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of at most 64 bits, seven in each byte, and where it ends."""
    value = shift = 0
    for byte in data[at : at + _LONGEST]:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at + shift // 7
    raise broken(f"a number at byte {at} of a message has no end")


def _signed(value: int) -> int:
    return value - 2**64 if value >= 2**63 else value


def integers(message: Fields, number: int) -> list[int]:
    """All signed numbers of a field, packed or not."""
    loose, dense = message.get(number << 3 | VARINT, []), message.get(number << 3 | BYTES, [])
    return [_signed(value) for value in loose] + [value for part in dense for value in _unpacked(part)]


def _unpacked(data: bytes) -> list[int]:
    octets = np.frombuffer(data, np.uint8)
    if not len(octets):
        return []
    ends = np.flatnonzero(octets < 0x80)
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    lengths = ends - starts + 1
    if not len(ends) or ends[-1] != len(octets) - 1 or lengths.max() > _LONGEST:
        raise broken("a list of numbers has no end")
    values = np.zeros(len(ends), np.uint64)
    for place in range(int(lengths.max())):
        here = lengths > place
        values[here] |= (octets[starts[here] + place] & 0x7F).astype(np.uint64) << np.uint64(7 * place)
    return [int(value) for value in values.view(np.int64)]


def float32s(message: Fields, number: int) -> NDArray[np.float32]:
    return _fixed(message, number, FIXED32, "<f4").astype(np.float32)


def float64s(message: Fields, number: int) -> NDArray[np.float64]:
    return _fixed(message, number, FIXED64, "<f8").astype(np.float64)


def _fixed(message: Fields, number: int, kind: int, layout: str) -> NDArray[Any]:
    data = b"".join(message.get(number << 3 | kind, []) + message.get(number << 3 | BYTES, []))
    if len(data) % np.dtype(layout).itemsize:
        raise broken("a list of floats is cut off")
    return np.frombuffer(data, layout)


def byte_strings(message: Fields, number: int) -> list[bytes]:
    return list(message.get(number << 3 | BYTES, []))


def texts(message: Fields, number: int) -> list[str]:
    try:
        return [value.decode() for value in byte_strings(message, number)]
    except UnicodeDecodeError as error:
        raise broken("a text is not UTF-8") from error


def text(message: Fields, number: int) -> str:
    """The last text of a field, as the format has it; empty if there is none."""
    return (texts(message, number) or [""])[-1]


def integer(message: Fields, number: int) -> int:
    return (integers(message, number) or [0])[-1]
