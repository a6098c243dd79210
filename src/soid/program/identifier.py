"""The words that an identifier is made of."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_LETTERS: Final = re.compile(r"[^\W\d_]+|\d+")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|.+", re.DOTALL)


@lru_cache(1 << 14)
def words_of(text: str) -> tuple[str, ...]:
    """The words of one part of a name, in lower case. Case parts words of ASCII letters alone.

    >>> words_of("badGPS_ticks2"), words_of("Körper_größe")
    (('bad', 'gps', 'ticks', '2'), ('körper', 'größe'))
    """
    runs = _LETTERS.findall(text)
    return tuple(word.lower() for run in runs for word in (_WORD.findall(run) if run.isascii() else [run]))
