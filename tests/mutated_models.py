"""Model files that are damaged, or made by somebody who means harm: what a reader must survive.

Of any file: bits, bytes and chunks are changed, the end is cut off. Of a text or of JSON also numbers and structure:
huge, negative and odd numbers, indices that point elsewhere (to the node itself: a circle), deep nesting, parts missing
or in another place.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

#: what numbers in a text become
_TEXTS: Final = (
    "-1", "0", "1", "2", "99999999999", "-99999999999", "1e400", "-1e400", "nan", "NaN", "inf", "-Infinity", "1e-400",
    "0x10", "", "4294967296", "2147483648", "9223372036854775808", "1.5", '"text"', "null", "true", "[]", "{}",
)  # fmt: skip
#: what numbers in JSON become
_VALUES: Final[tuple[Any, ...]] = (
    -1, 0, 1, 2, 10**11, -(10**11), 2**31, 2**63, 10**400, 1.5, -0.0, 1e308, math.nan, math.inf, -math.inf, "text", "",
    None, True, [], {},
)  # fmt: skip
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_DEEP: Final = 100_000


def mutations(content: bytes, count: int, seed: int) -> Iterator[bytes]:
    """That many files, each made from this one by one to three changes."""
    rng = random.Random(seed)
    changes = [*_BYTES, *(_JSON if _json(content) is not None else []), *(_TEXT if _is_text(content) else [])]
    for _ in range(count):
        changed = content
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            changed = rng.choice(changes)(changed, rng)
        yield changed


def _place(content: bytes, rng: random.Random) -> int:
    return rng.randrange(len(content)) if content else 0


def _flipped(content: bytes, rng: random.Random) -> bytes:
    found = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if found:
            found[_place(content, rng)] ^= 1 << rng.randrange(8)
    return bytes(found)


def _cut_off(content: bytes, rng: random.Random) -> bytes:
    return content[: _place(content, rng)]


def _chunk(content: bytes, rng: random.Random) -> tuple[int, int]:
    at = _place(content, rng)
    return at, min(len(content), at + rng.choice((1, 4, 16, 64, 1024)))


def _doubled(content: bytes, rng: random.Random) -> bytes:
    begin, end = _chunk(content, rng)
    return content[:end] + content[begin:end] * rng.choice((1, 2, 50)) + content[end:]


def _left_out(content: bytes, rng: random.Random) -> bytes:
    begin, end = _chunk(content, rng)
    return content[:begin] + content[end:]


def _overwritten(content: bytes, rng: random.Random) -> bytes:
    begin, end = _chunk(content, rng)
    filling = rng.choice((b"\xff", b"\x00", b"\x7f", b"\x80", rng.randbytes(1)))
    return content[:begin] + filling * (end - begin) + content[end:]


def _swapped(content: bytes, rng: random.Random) -> bytes:
    begin, end = _chunk(content, rng)
    other = _place(content, rng)
    return content[:begin] + content[other : other + end - begin] + content[end:]


_BYTES: Final[list[Callable[[bytes, random.Random], bytes]]] = [
    _flipped, _cut_off, _doubled, _left_out, _overwritten, _swapped,
]  # fmt: skip


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return b"\x00" not in content


def _other_number(content: bytes, rng: random.Random) -> bytes:
    """One number of the text, or each that is the same, becomes another."""
    text = content.decode(errors="replace")
    found = list(_NUMBER.finditer(text))
    if not found:
        return content
    chosen = rng.choice(found)
    other = rng.choice((*_TEXTS, rng.choice(found).group()))
    if rng.random() < 0.1:
        return text.replace(chosen.group(), other).encode()
    return (text[: chosen.start()] + other + text[chosen.end() :]).encode()


def _other_line(content: bytes, rng: random.Random) -> bytes:
    """A line is left out, doubled, or moved."""
    lines = content.split(b"\n")
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    line = lines.pop(at) if rng.random() < 0.7 else lines[at]
    if rng.random() < 0.7:
        lines.insert(to, line)
    return b"\n".join(lines)


_TEXT: Final[list[Callable[[bytes, random.Random], bytes]]] = [_other_number, _other_line]


def _json(content: bytes) -> Any | None:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _places(document: Any) -> list[tuple[Any, Any]]:
    """All containers with all of their keys."""
    found, waiting = [], [document]
    while waiting:
        each = waiting.pop()
        keys = list(each) if isinstance(each, dict) else list(range(len(each))) if isinstance(each, list) else []
        found += [(each, key) for key in keys]
        waiting += [each[key] for key in keys]
    return found


def _changed_json(change: Callable[[Any, Any, random.Random], None]) -> Callable[[bytes, random.Random], bytes]:
    def changed(content: bytes, rng: random.Random) -> bytes:
        document = _json(content)
        places = _places(document)
        if not places:
            return content
        change(*rng.choice(places), rng)
        return json.dumps(document).encode()

    return changed


def _other_value(container: Any, key: Any, rng: random.Random) -> None:
    container[key] = rng.choice(_VALUES)


def _other_index(container: Any, key: Any, rng: random.Random) -> None:
    """An index points to itself, to the first, or beyond the end: circles, and nodes that do not exist."""
    size = len(container)
    own = key if isinstance(key, int) else 0
    container[key] = rng.choice((own, 0, size - 1, size, own + 1, max(own - 1, 0), -1))


def _no_such_part(container: Any, key: Any, rng: random.Random) -> None:
    del container[key]


def _other_part(container: Any, key: Any, rng: random.Random) -> None:
    """A part stands where another one stood: lists of other lengths, values of other types."""
    container[key] = container[rng.choice(list(container) if isinstance(container, dict) else range(len(container)))]


def _nested(content: bytes, rng: random.Random) -> bytes:
    """Brackets within brackets, more than any recursion can follow."""
    opening, closing = rng.choice(((b"[", b"]"), (b'{"a":', b"}")))
    deep = opening * _DEEP + b"1" + closing * _DEEP
    found = [match.span() for match in re.finditer(rb"\d+", content)]
    if not found:
        return deep
    begin, end = rng.choice(found)
    return content[:begin] + deep + content[end:]


_JSON: Final[list[Callable[[bytes, random.Random], bytes]]] = [
    *(_changed_json(change) for change in (_other_value, _other_index, _other_index, _no_such_part, _other_part)),
    _nested,
]
