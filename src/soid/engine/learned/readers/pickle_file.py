"""Pickle and joblib files: recognised, and always refused, since loading one runs whatever it says."""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from typing import Final

from soid.engine.learned.model import LearnedModel, ModelRefused

#: a protocol from 2 on; before, the name of a module and a class in plain text
_PICKLE: Final = re.compile(rb"\x80[\x02-\x05]|c(copy_?reg|__builtin__|builtins|sklearn|numpy|joblib)[\w.]*\n\w+\n")
_ENOUGH: Final = 64


def recognises(head: bytes) -> bool:
    """A pickle, perhaps compressed as joblib does."""
    return _PICKLE.match(_unpacked(head)) is not None


def _unpacked(head: bytes) -> bytes:
    try:
        if head[:2] == b"\x1f\x8b" or head[:1] == b"\x78":
            return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(head, _ENOUGH)
        if head[:3] == b"BZh":
            return bz2.BZ2Decompressor().decompress(head, _ENOUGH)
        if head[:6] == b"\xfd7zXZ\x00" or head[:3] == b"]\x00\x00":
            return lzma.LZMADecompressor().decompress(head, _ENOUGH)
    except (zlib.error, lzma.LZMAError, OSError, EOFError):
        return b""
    return head


def read(content: bytes) -> LearnedModel:
    """Always refuses."""
    raise ModelRefused(
        f"a pickle or joblib file ({len(content)} bytes): loading it would run whatever it says",
        "Where the model was made, load it and write it as data: skops.io.dump(model, 'model.skops'). "
        "Or let it be opened in the jail, where it can do no harm: [program] unpickle = true "
        "(`soid init --unpickle` writes it).",
    )
