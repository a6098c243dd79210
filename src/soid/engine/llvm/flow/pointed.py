"""Where a pointer may point: parts of objects, and in each of them a set of offsets.

A set of offsets is a number whose bit i stands for byte i. Besides the object, a target has the stretch of it in which
C lets the pointer be moved about: the array or the member that it was taken of.

>>> p = {Target(1, 0, 16): 0b1}
>>> moved(p, 4, {1: 16})
{Target(object=1, start=0, end=16): 16}
>>> [offset for offset in offsets(anywhere(p, 8, {1: 16})[Target(1, 0, 16)])]
[0, 8, 16]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

_MANY: Final = 16  # offsets, of which more are not told apart one by one
_MOST_PARTS: Final = 64  # offsets that are kept apart, each with a stretch of its own


class Target(NamedTuple):
    """An object, and the stretch of it in which a pointer may be moved."""

    object: int
    start: int
    end: int


Pointed: TypeAlias = Mapping[Target, int]  # offsets in the whole object, by target; never changed once made
Sizes: TypeAlias = Mapping[int, int]  # bytes of each object; an object without a size is taken as one byte

NOTHING: Final[Pointed] = {}


def joined(parts: Iterable[Pointed]) -> Pointed:
    """Everything that one of several pointers may point to."""
    kept = [part for part in parts if part]
    if len(kept) < 2:
        return kept[0] if kept else NOTHING
    result = dict(kept[0])
    for part in kept[1:]:
        for target, mask in part.items():
            result[target] = result.get(target, 0) | mask
    return result


def includes(whole: Pointed, part: Pointed) -> bool:
    """Whether a pointer's targets are among another's."""
    return all(not mask & ~whole.get(target, 0) for target, mask in part.items())


def offsets(mask: int) -> Iterator[int]:
    """The offsets in a set, in order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def moved(pointed: Pointed, distance: int, sizes: Sizes, *, stays: bool = False) -> Pointed:
    """Pointers some bytes further on.

    One that leaves its stretch may be moved all over the object from then on, as C programs get from a member to the
    struct around it; unless it is sure to stay, because C has no other meaning for it.
    """
    if distance == 0:
        return pointed
    result: dict[Target, int] = {}
    for target, mask in pointed.items():
        size = sizes[target.object]
        new = (mask << distance if distance > 0 else mask >> -distance) & (1 << size + 1) - 1
        if stays and size:
            result[target] = new & _stretch(target.start, target.end + 1)
            continue
        if new.bit_count() < mask.bit_count():
            new = _stretch(0, size + 1)  # it left the object: where it is when it comes back, nobody knows
        inside = new & _stretch(target.start, target.end + 1)
        for kept, where in ((inside, target), (new ^ inside, Target(target.object, 0, size))):
            if kept:
                result[where] = result.get(where, 0) | kept
    return result


def anywhere(pointed: Pointed, step: int, sizes: Sizes) -> Pointed:
    """Pointers moved by an unknown number of steps, inside their stretch."""
    result: dict[Target, int] = {}
    for target, mask in pointed.items():
        new = 0
        step_here = max(1, step)
        residues = {offset % step_here for offset in offsets(mask)}
        for residue in residues:
            first = target.start + (residue - target.start) % step_here
            new |= comb(first, step_here, (target.end - first) // step_here + 1)
        result[target] = new
    return result


def comb(first: int, step: int, count: int) -> int:
    """The set {first, first + step, ...} of so many offsets.

    >>> bin(comb(1, 3, 3))
    '0b10010010'
    """
    return ((1 << step * count) - 1) // ((1 << step) - 1) << first if count > 0 else 0


def narrowed(pointed: Pointed, size: int) -> Pointed:
    """The same pointers, from now on moved only inside the part of so many bytes that begins where they point."""
    result: dict[Target, int] = {}
    for target, mask in pointed.items():
        if mask.bit_count() > _MOST_PARTS:
            result[target] = result.get(target, 0) | mask
            continue
        for offset in offsets(mask):
            part = Target(target.object, offset, min(offset + size, max(target.end, offset)))
            result[part] = result.get(part, 0) | 1 << offset
    return result


def widened(pointed: Pointed) -> Pointed:
    """Many offsets taken for all of their kind, so that a pointer which walks along an array is followed to its end."""
    result = {}
    for target, mask in pointed.items():
        if mask.bit_count() > _MANY:
            first, *others = offsets(mask)
            step = math.gcd(*(other - first for other in others))
            first -= (first - target.start) // step * step
            mask |= comb(first, step, (target.end - first) // step + 1)
        result[target] = mask
    return result


def spread(pointed: Pointed) -> Pointed:
    """Pointers whose numbers were computed with: anywhere in their objects' stretches."""
    return {target: _stretch(target.start, target.end + 1) for target in pointed}


def _stretch(start: int, end: int) -> int:
    return (1 << end) - (1 << start)
