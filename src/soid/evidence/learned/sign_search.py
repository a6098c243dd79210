"""Trees over signs, made for a bundle: a search as that of an answer, which ends where the checker's bounds suffice.

What a leaf has is written with few digits before it is bounded: slopes as sixteenths, multipliers with eight bits. So
what a bundle has is the very same that closed the leaf.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from soid.budget import Deadline
from soid.engine.learned.network import NetworkTerm
from soid.engine.learned.networks.blas_threads import one_thread
from soid.engine.learned.networks.relu_leaves import ReluLeaves
from soid.engine.learned.networks.relu_splits import ClosedLeaf, ReluSearch
from soid.evidence.learned import network_slopes
from soid.evidence.learned.plain_networks import NetworkBox, SignedParts
from soid.evidence.learned.whole_rows import Numbers
from soid.evidence.sign_trees import MOST_LEAVES, Sign, SignedLeaf

_BITS: Final = 8  # of a multiplier
_LEAST: Final = 2.0**-30  # a multiplier that is smaller is taken for 0
_TURN: Final = 0.5  # seconds


def bounded_by(box: NetworkBox, terms: Sequence[NetworkTerm], leaves: ReluLeaves) -> Numbers:
    """What the checker shows of a sum in leaves of a search."""
    slopes = [network_slopes.rounded(np.clip(each, 0.0, 1.0)) for each in leaves.slopes]
    multipliers = [_short(by) * (signs != 0) for by, signs in zip(leaves.multipliers, leaves.signs, strict=True)]
    return box.lower_in_parts(terms, SignedParts(leaves.signs, slopes, multipliers))


def searched(search: ReluSearch, deadline: Deadline) -> tuple[SignedLeaf, ...] | None:
    """The leaves of a search, in which the checker's bounds have closed it; None if it has no end in time."""
    with one_thread():
        while not (search.is_proved or search.is_over or deadline.is_over or len(search.closed) > MOST_LEAVES):
            search.run(_TURN)
    if not search.is_proved or len(search.closed) > MOST_LEAVES:
        return None
    return tuple(map(_written, search.closed))


def _written(leaf: ClosedLeaf) -> SignedLeaf:
    short = [_short(each) for each in leaf.multipliers]
    signs: list[Sign] = [(layer, element, sign, float(short[layer][element])) for layer, element, sign in leaf.path]
    return SignedLeaf(tuple(signs), tuple(network_slopes.written(np.clip(each, 0.0, 1.0)) for each in leaf.slopes))


def _short(multipliers: Numbers) -> Any:
    mantissa, exponent = np.frexp(np.where(multipliers < _LEAST, 0.0, multipliers))
    return np.ldexp(np.rint(np.ldexp(mantissa, _BITS)), exponent - _BITS)
