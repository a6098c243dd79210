"""The zip archive that skops writes: a schema in JSON, and an array in each .npy file.

Nothing of it is run, imported or unpickled. Sizes are checked before anything is unpacked or allocated.
"""

from __future__ import annotations

import ast
import io
import json
import math
import warnings
import zipfile
import zlib
from typing import Any, Final, final

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from soid.engine.learned.model import ModelRefused
from soid.errors import ProgramError

#: what is unpacked may have this size in all; the largest forests that are in use have some hundred megabytes
_LARGEST: Final = 1 << 30
_LONGEST_SCHEMA: Final = 1 << 28
_MOST_FILES: Final = 1 << 18
_REMEDY: Final = "Write it again: skops.io.dump(model, 'model.skops')."

#: what the zip module raises on broken archives, compressed data included
_BROKEN_ZIP: Final = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError, KeyError,
    OverflowError, IndexError, UnicodeError,
)  # fmt: skip

#: what parsing a literal and making a dtype of it raise
_BROKEN_ARRAY: Final = (
    ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, SyntaxError, RecursionError,
    MemoryError,
)  # fmt: skip
_LONGEST_HEADER: Final = 10_000
_MOST_DIMENSIONS: Final = 8


def broken(what: str) -> ProgramError:
    """The error for a file that skops has not written like this."""
    return ProgramError(f"the skops file is broken: {what}", _REMEDY)


def not_modelled(what: str, remedy: str) -> ModelRefused:
    """The error for what a reader knows by name only."""
    return ModelRefused(f"this is not modelled: {what}", remedy)


@final
class SkopsArchive:
    """The files of the archive."""

    def __init__(self, content: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            files = self._zip.infolist()
        except _BROKEN_ZIP as error:
            raise broken(f"it is no zip archive ({error})") from None
        if len(files) > _MOST_FILES or sum(each.file_size for each in files) > _LARGEST:
            raise ProgramError(
                f"the skops file unpacks to more than {_LARGEST >> 20} MB or {_MOST_FILES} files",
                "soid reads no larger models.",
            )
        self._sizes = {each.filename: each.file_size for each in files}
        if len(self._sizes) < len(files):
            raise broken("two of its files have the same name")
        self._arrays: dict[str, NDArray[Any]] = {}

    def schema(self) -> dict[str, Any]:
        """The JSON that says what the model consists of."""
        if self._sizes.get("schema.json", 0) > _LONGEST_SCHEMA:
            raise ProgramError(f"the schema of the skops file has more than {_LONGEST_SCHEMA >> 20} MB", _REMEDY)
        found = parsed(self._unpacked("schema.json"), "its schema")
        if not isinstance(found, dict):
            raise broken("its schema is no object")
        return found

    def array(self, name: str) -> NDArray[Any]:
        """The array of a .npy file."""
        if name not in self._arrays:
            self._arrays[name] = _array(self._unpacked(name), name)
        return self._arrays[name]

    def _unpacked(self, name: str) -> bytes:
        if name not in self._sizes:
            raise broken(f"it has no {name!r}")
        try:
            return self._zip.read(name)  # which stops at the size that the archive's directory says
        except _BROKEN_ZIP as error:
            raise broken(f"{name!r} cannot be unpacked ({error})") from None


def parsed(text: bytes | str, what: str) -> Any:
    """JSON as Python reads it; a key that stands twice in an object is an error."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise broken(f"{what} is nested too deeply") from None
    except ValueError as error:
        raise broken(f"{what} is no JSON ({error})") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in an object")
    return found


def _array(content: bytes, name: str) -> NDArray[Any]:
    try:
        kind, by_column, shape, start = _header(content)
        if kind.hasobject or kind.itemsize * math.prod(shape) != len(content) - start:
            raise ValueError("its size is not the one that it claims")
        flat = np.frombuffer(content, kind, offset=start) if start < len(content) else np.zeros(0, kind)
        return flat.reshape(shape, order="F" if by_column else "C")
    except _BROKEN_ARRAY as error:
        raise broken(f"{name!r} is no array ({error})") from None


def _header(content: bytes) -> tuple[np.dtype[Any], bool, tuple[int, ...], int]:
    """The kind of numbers, whether they are in the order of columns, the shape, and where the numbers begin.

    numpy's own reader raises whatever its parsers raise on such headers, so they are taken apart here.
    """
    if content[:6] != b"\x93NUMPY" or content[6:7] not in (b"\x01", b"\x02", b"\x03"):
        raise ValueError("it does not begin as one")
    start, length = (10, content[8:10]) if content[6] == 1 else (12, content[8:12])
    end = start + int.from_bytes(length, "little")
    if not start < end <= len(content) or end - start > _LONGEST_HEADER:
        raise ValueError("its header is too long")
    header = ast.literal_eval(content[start:end].decode("latin-1").strip())
    shape, by_column = header["shape"], header["fortran_order"]
    if not isinstance(shape, tuple) or not all(type(each) is int and each >= 0 for each in shape):
        raise ValueError("its shape is none")
    if len(shape) > _MOST_DIMENSIONS or type(by_column) is not bool:
        raise ValueError("its header says something else")
    with warnings.catch_warnings(action="ignore"):
        return npy.descr_to_dtype(header["descr"]), by_column, shape, end
