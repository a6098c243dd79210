"""The leaves of a tree over signs as arrays, and the bound that they show together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from soid.budget import Deadline
from soid.engine.learned.network import NetworkTerm
from soid.errors import BundleError
from soid.evidence.learned import network_slopes
from soid.evidence.learned.plain_networks import NetworkBox, SignedParts
from soid.evidence.learned.plain_trees import NotChecked
from soid.evidence.sign_trees import SignedLeaf

_AT_ONCE: Final = 128  # leaves


def lower_in_leaves(
    box: NetworkBox,
    terms: Sequence[NetworkTerm],
    leaves: Sequence[SignedLeaf],
    sizes: Sequence[int],
    deadline: Deadline,
) -> float:
    """A number that a sum is not below in any of the leaves; `sizes` are those of the ReLU layers."""
    least = np.inf
    for at in range(0, len(leaves), _AT_ONCE):
        if deadline.is_over:
            raise NotChecked(f"there was no time for all of its signs: {at:,} of {len(leaves):,} leaves were checked")
        parts = parts_of(leaves[at : at + _AT_ONCE], sizes)
        least = min(least, float(box.lower_in_parts(terms, parts).min()))
    return least


def parts_of(leaves: Sequence[SignedLeaf], sizes: Sequence[int]) -> SignedParts:
    """Leaves as arrays; a BundleError if they are not of these layers."""
    signs = [np.zeros((len(leaves), size), np.int64) for size in sizes]
    multipliers = [np.zeros((len(leaves), size)) for size in sizes]
    for row, leaf in enumerate(leaves):
        for layer, element, sign, by in leaf.signs:
            if not (0 <= layer < len(sizes) and 0 <= element < sizes[layer]):
                raise BundleError("a cover splits signs that are none of this network")
            signs[layer][row, element], multipliers[layer][row, element] = sign, by
    slopes = [network_slopes.read(leaf.slopes, sizes) for leaf in leaves]
    return SignedParts(signs, [np.stack(each) for each in zip(*slopes, strict=True)], multipliers)
