"""Merging of neighbouring boxes with the same label, for a calm picture and a short list.

Boxes that are equal along one axis and touch along the other are joined, along each axis in turn, until nothing
changes.

>>> merged([((0, 3), (0, 0)), ((4, 9), (0, 0)), ((0, 9), (1, 1)), ((11, 12), (0, 1))])
[((0, 9), (0, 1)), ((11, 12), (0, 1))]
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from soid.formula.interval_program import Box


def merged(boxes: Iterable[Box]) -> list[Box]:
    """The same states in fewer boxes, in order."""
    found = sorted(boxes)
    while found:
        before = len(found)
        for number in range(len(found[0])):
            found = _joined(found, number)
        if len(found) == before:
            break
    return sorted(found)


def _joined(boxes: list[Box], number: int) -> list[Box]:
    """Joined along one axis."""
    lines: dict[Box, list[tuple[int, int]]] = defaultdict(list)
    for box in boxes:
        lines[box[:number] + box[number + 1 :]].append(box[number])
    found: list[Box] = []
    for rest, stretches in lines.items():
        stretches.sort()
        low, high = stretches[0]
        for first, last in stretches[1:]:
            if first == high + 1:
                high = last
            else:
                found.append((*rest[:number], (low, high), *rest[number:]))
                low, high = first, last
        found.append((*rest[:number], (low, high), *rest[number:]))
    return found
