"""What is known of a layer's result in many boxes, and what a layer must give to be bounded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import final

import numpy as np
from msgspec import Struct

from soid.engine.learned.networks.float_errors import Flags, Numbers
from soid.engine.learned.networks.ranges import Ranges
from soid.engine.learned.networks.relations import Relation
from soid.engine.learned.networks.softmax_shares import Pairs


@final
class LayerBounds(Struct, frozen=True):
    """What is known of a layer's result in some boxes."""

    ranges: Ranges
    relation: Relation
    unclear: Flags  # boxes in which something may overflow


class BoundedLayer(ABC):
    """A layer, ready to be bounded."""

    sources: tuple[int, ...]
    size: int  # elements of its result
    is_curved: bool = False  # whether it wants narrow ranges of single elements of its source
    pairs: Pairs | None = None  # pairs of elements of its source whose differences should be known

    @abstractmethod
    def over(self, given: Sequence[Ranges], differences: Ranges | None, /) -> LayerBounds:
        """What it makes of its sources; a layer with pairs gets their differences as well."""

    def wanted(self, given: Ranges, /) -> Flags | None:
        """The elements of its source whose ranges should be as narrow as possible, if it is curved."""
        return None


def numbers_of(data: bytes) -> Numbers:
    return np.frombuffer(data, "<f8").astype(np.float64)
