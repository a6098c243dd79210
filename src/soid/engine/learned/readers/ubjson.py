"""UBJSON, as XGBoost writes it: JSON's values in binary, with arrays of one type of number as a block.

Hostile files are cheap to refuse: nothing is allocated that the file does not hold, and nesting is counted.

>>> decoded(b"{L" + (1).to_bytes(8, "big") + b"a[$l#L" + (2).to_bytes(8, "big") + bytes(7) + b"\\x05}")
{'a': [0, 5]}
"""

from __future__ import annotations

import struct
from typing import Any, Final, final

import numpy as np

from soid.errors import ProgramError

#: a model has ten levels
_DEEPEST: Final = 64

#: markers of numbers, and how they are stored
_NUMBERS: Final = {"i": ">i1", "U": ">u1", "I": ">i2", "l": ">i4", "L": ">i8", "d": ">f4", "D": ">f8"}
_WHOLE: Final = "iUIlL"
_CONSTANTS: Final = {"Z": None, "T": True, "F": False}


def decoded(content: bytes) -> object:
    """The one value that the content is."""
    cursor = _Cursor(content)
    opened: list[_Container] = []
    value = cursor.value(cursor.marker())
    while True:
        while isinstance(value, _Container):
            if len(opened) == _DEEPEST:
                raise cursor.broken(f"values are nested more than {_DEEPEST} deep")
            opened.append(value)
            value = value.next(cursor)
        if not opened:
            break
        if value is _END:
            value = opened.pop().items
            if not opened:
                break
        opened[-1].add(value, cursor)
        value = opened[-1].next(cursor)
    if cursor.place != len(content):
        raise cursor.broken("it goes on after its end")
    return value


@final
class _Container:
    """An array or an object that is being read."""

    def __init__(self, items: list[Any] | dict[str, Any], count: int | None = None) -> None:
        self.items = items
        self._left = count  # None: up to a closing mark
        self._key = ""

    def next(self, cursor: _Cursor) -> object:
        """The next value, which may be a container itself, or the end."""
        if self._left is not None:
            self._left -= 1
            return _END if self._left < 0 else cursor.value(cursor.marker())
        marker = cursor.marker()
        if isinstance(self.items, list):
            return _END if marker == "]" else cursor.value(marker)
        if marker == "}":
            return _END
        self._key = cursor.text(marker)
        return cursor.value(cursor.marker())

    def add(self, value: object, cursor: _Cursor) -> None:
        if isinstance(self.items, list):
            self.items.append(value)
        elif self._key in self.items:
            raise cursor.broken(f"the key {self._key[:40]!r} occurs twice")
        else:
            self.items[self._key] = value


_END: Final = object()


@final
class _Cursor:
    """Where reading is."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.place = 0

    def broken(self, what: str) -> ProgramError:
        return ProgramError(f"The model is not proper UBJSON: at byte {self.place}, {what}.", "Save the model again.")

    def bytes(self, count: int) -> bytes:
        if count > len(self._content) - self.place:
            raise self.broken("it ends too early")
        found = self._content[self.place : self.place + count]
        self.place += count
        return found

    def marker(self) -> str:
        return self.bytes(1).decode("latin-1")

    def value(self, marker: str) -> object:
        """A plain value, or a container that was opened."""
        if marker in _CONSTANTS:
            return _CONSTANTS[marker]
        if marker in _NUMBERS:
            return self._numbers(marker, 1)[0]
        match marker:
            case "S":
                return self.text(self.marker())
            case "C":
                return self.bytes(1).decode("latin-1")
            case "{":
                return _Container({})
            case "[":
                return self._array()
        raise self.broken(f"{marker!r} begins no value")

    def text(self, marker: str) -> str:
        found = self.bytes(self._count(marker))
        try:
            return found.decode("utf-8")
        except UnicodeDecodeError:
            raise self.broken("a text is not UTF-8") from None

    def _array(self) -> object:
        marker = self._content[self.place : self.place + 1]
        if marker not in (b"$", b"#"):
            return _Container([])
        self.place += 1
        kind = None
        if marker == b"$":
            kind = self.marker()
            if kind not in _NUMBERS:
                raise self.broken(f"an array of the type {kind!r}")
            if self.marker() != "#":
                raise self.broken("an array without its length")
        count = self._count(self.marker())
        return _Container([], count) if kind is None else self._numbers(kind, count)

    def _count(self, marker: str) -> int:
        if marker not in _WHOLE:
            raise self.broken(f"{marker!r} begins no length")
        count: int = self._numbers(marker, 1)[0]
        if count < 0:
            raise self.broken("a length below 0")
        return count

    def _numbers(self, kind: str, count: int) -> list[Any]:
        form = np.dtype(_NUMBERS[kind])
        if count == 1:
            return list(struct.unpack(_SINGLE[kind], self.bytes(form.itemsize)))
        found: list[Any] = np.frombuffer(self.bytes(count * form.itemsize), form).tolist()
        return found


_SINGLE: Final = {"i": ">b", "U": ">B", "I": ">h", "l": ">i", "L": ">q", "d": ">f", "D": ">d"}
