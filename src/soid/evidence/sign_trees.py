"""Trees over the signs of single ReLUs, as a cover has them beside the bounds of a box.

    split on z of element 3                     leaves      z >= 0, then w >= 0
      z >= 0: split on w of element 7                       z >= 0, then w <= 0
      z <= 0                                                z <= 0

Each leaf says by which signs it is reached, from the root on. What a ReLU is given in a run is one number, and that is
not below zero or not above it (zero is both); so together the leaves hold every run if each split has both its sides.
A leaf has a multiplier b for each sign s of an element z: since s z >= 0, a sum is not below itself less b s z. Any b
that is not below zero gives a true bound, as any slope from 0 to 1 does for the line below a ReLU.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, Literal, final

from msgspec import Struct

from soid.errors import BundleError

MOST_LEAVES: Final = 50_000  # of a cover

Side = Literal["low", "high"]
Sign = tuple[int, int, Literal[1, -1], float]  # ReLU layer, element, the sign of what it is given, multiplier


@final
class SignedLeaf(Struct, frozen=True):
    """A part of a box: the runs in which some elements have known signs."""

    signs: tuple[Sign, ...]  # from the root on
    slopes: tuple[str, ...]  # of each ReLU layer a digit for each element


@final
class SignTree(Struct, frozen=True):
    """What shows that a number is not below a bound in a box, or not above it."""

    number: str
    side: Side  # which bound
    leaves: tuple[SignedLeaf, ...]


def check_trees(trees: Iterable[SignTree], numbers: Sequence[str]) -> None:
    """Raise a BundleError unless the leaves of each hold every run, and their multipliers are none below zero."""
    count = 0
    for tree in trees:
        count += len(tree.leaves)
        if tree.number not in numbers or count > MOST_LEAVES:
            raise BundleError("a cover splits signs for a number that it does not have, or too often")
        for leaf in tree.leaves:
            if not all(0 <= by < math.inf for *_, by in leaf.signs):
                raise BundleError("a cover has a multiplier of a sign that is below zero, or no number")
            if len({(layer, element) for layer, element, *_ in leaf.signs}) != len(leaf.signs):
                raise BundleError("a cover splits a sign that is known")
        _hold_every_run(tree.leaves)


def _hold_every_run(leaves: Sequence[SignedLeaf]) -> None:
    waiting = [(leaves, 0)]
    while waiting:
        some, depth = waiting.pop()
        if len(some) == 1 and len(some[0].signs) == depth:
            continue
        if {len(leaf.signs) > depth for leaf in some} != {True}:
            raise BundleError("a cover has leaves of signs that are no tree, or one is missing")
        if len({leaf.signs[depth][:2] for leaf in some}) != 1:
            raise BundleError("a cover has leaves of signs that are no tree: they split different elements")
        for sign in (1, -1):
            waiting.append(([leaf for leaf in some if leaf.signs[depth][2] == sign], depth + 1))
