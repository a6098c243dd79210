"""The machine's own mathematical library. A replayed program is loaded with the same, so both get the same bits."""

from __future__ import annotations

import ctypes
import functools
import platform
from collections.abc import Callable
from typing import Any, Final, final

from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, FLOAT64, Float

_FILE: Final = "libm.so.6"
_KINDS: Final[dict[Float, tuple[Any, Callable[[int], float], Callable[[float], int], str]]] = {
    FLOAT32: (ctypes.c_float, sf.bits32_to_float, sf.float_to_bits32, "f"),
    FLOAT64: (ctypes.c_double, sf.bits64_to_float, sf.float_to_bits64, ""),
}


@final
class MathLibrary:
    """A loaded library; functions are named as C names those of doubles (`pow`)."""

    def __init__(self, loaded: ctypes.CDLL, name: str) -> None:
        self._loaded = loaded
        self._functions: dict[tuple[str, Float, int], Any] = {}
        self.name = name  # for people: "glibc 2.36"

    def call(self, function: str, format: Float, *arguments: int) -> int:
        """The result of the function of that format (`powf` for FLOAT32); every NaN becomes the canonical one."""
        kind, to_float, to_bits, suffix = _KINDS[format]
        key = (function, format, len(arguments))
        found = self._functions.get(key)
        if found is None:
            found = self._functions[key] = getattr(self._loaded, function + suffix)
            found.argtypes, found.restype = [kind] * len(arguments), kind
        return to_bits(found(*map(to_float, arguments)))


@functools.cache
def library(triple: str) -> MathLibrary | None:
    """This machine's library if programs for the target use it, else None."""
    if not triple.startswith(f"{platform.machine()}-") or "linux" not in triple or "gnu" not in triple:
        return None
    try:
        loaded = ctypes.CDLL(_FILE)
        version = ctypes.CDLL("libc.so.6").gnu_get_libc_version
    except (OSError, AttributeError):
        return None
    version.restype = ctypes.c_char_p
    return MathLibrary(loaded, f"glibc {version().decode()}")
