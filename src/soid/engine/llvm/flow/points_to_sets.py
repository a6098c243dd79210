"""Points-to sets: for each target a set of offsets.

A set of offsets is a bit mask: bit i stands for byte i. A target is an object and the range of it in which C lets the
pointer move: the array or the member whose address was taken.

>>> p = {Target(1, 0, 16): 0b1}
>>> moved(p, 4, {1: 16})
{Target(object=1, start=0, end=16): 16}
>>> [offset for offset in offsets(anywhere(p, 8)[Target(1, 0, 16)])]
[0, 8, 16]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

_MANY: Final = 16  # offsets that are kept one by one; above this they widen to a regular set
_MOST_PARTS: Final = 64  # offsets that get a range of their own each


class Target(NamedTuple):
    """An object, and the range of it in which a pointer may move."""

    object: int
    start: int
    end: int


PointsTo: TypeAlias = Mapping[Target, int]  # offsets in the whole object, by target; never mutated
Sizes: TypeAlias = Mapping[int, int]  # bytes of each object; an unknown size counts as one byte

NOTHING: Final[PointsTo] = {}


def joined(parts: Iterable[PointsTo]) -> PointsTo:
    """The union of points-to sets."""
    kept = [part for part in parts if part]
    if len(kept) < 2:
        return kept[0] if kept else NOTHING
    result = dict(kept[0])
    for part in kept[1:]:
        for target, mask in part.items():
            result[target] = result.get(target, 0) | mask
    return result


def includes(whole: PointsTo, part: PointsTo) -> bool:
    return all(not mask & ~whole.get(target, 0) for target, mask in part.items())


def offsets(mask: int) -> Iterator[int]:
    """The offsets in a set, in order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def moved(pointed: PointsTo, distance: int, sizes: Sizes, *, stays: bool = False) -> PointsTo:
    """Pointers moved by a number of bytes.

    A pointer that leaves its range may move anywhere in the object from then on, as C programs get from a member to its
    struct. With `stays` it cannot leave, because C does not define it otherwise.
    """
    if distance == 0:
        return pointed
    result: dict[Target, int] = {}
    for target, mask in pointed.items():
        size = sizes[target.object]
        new = (mask << distance if distance > 0 else mask >> -distance) & (1 << size + 1) - 1
        if stays and size:
            result[target] = new & _range(target.start, target.end + 1)
            continue
        if new.bit_count() < mask.bit_count():
            new = _range(0, size + 1)  # it left the object, and may come back anywhere
        inside = new & _range(target.start, target.end + 1)
        for kept, where in ((inside, target), (new ^ inside, Target(target.object, 0, size))):
            if kept:
                result[where] = result.get(where, 0) | kept
    return result


def anywhere(pointed: PointsTo, step: int) -> PointsTo:
    """Pointers moved by an unknown number of steps inside their range."""
    step = max(1, step)
    result = dict.fromkeys(pointed, 0)
    for target, mask in pointed.items():
        for residue in {offset % step for offset in offsets(mask)}:
            first = target.start + (residue - target.start) % step
            result[target] |= comb(first, step, (target.end - first) // step + 1)
    return result


def comb(first: int, step: int, count: int) -> int:
    """The set {first, first + step, ...} of `count` offsets.

    >>> bin(comb(1, 3, 3))
    '0b10010010'
    """
    return ((1 << step * count) - 1) // ((1 << step) - 1) << first if count > 0 else 0


def narrowed(pointed: PointsTo, size: int) -> PointsTo:
    """The same pointers, restricted to the part of `size` bytes at which they point."""
    result: dict[Target, int] = {}
    for target, mask in pointed.items():
        if mask.bit_count() > _MOST_PARTS:
            result[target] = result.get(target, 0) | mask
            continue
        for offset in offsets(mask):
            part = Target(target.object, offset, min(offset + size, max(target.end, offset)))
            result[part] = result.get(part, 0) | 1 << offset
    return result


def widened(pointed: PointsTo) -> PointsTo:
    """Large sets of offsets widened to all multiples of their step: a pointer that walks along an array converges."""
    result = {}
    for target, mask in pointed.items():
        if mask.bit_count() > _MANY:
            first, *others = offsets(mask)
            step = math.gcd(*(other - first for other in others))
            first -= (first - target.start) // step * step
            mask |= comb(first, step, (target.end - first) // step + 1)
        result[target] = mask
    return result


def spread(pointed: PointsTo) -> PointsTo:
    """Pointers after integer arithmetic on them: anywhere in their ranges."""
    return {target: _range(target.start, target.end + 1) for target in pointed}


def _range(start: int, end: int) -> int:
    return (1 << end) - (1 << start)
