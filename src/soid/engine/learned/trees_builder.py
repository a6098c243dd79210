"""Builds the arrays of trees node by node, as a reader finds them."""

from __future__ import annotations

import array
import math
import sys
from collections.abc import Iterable, Sequence
from typing import Literal, final

from soid.engine.learned.model import TreeArrays


def packed(kind: Literal["i", "b", "d"], numbers: Iterable[float]) -> bytes:
    """Numbers as the bytes of an array."""
    found = array.array(kind, numbers)
    if sys.byteorder == "big":
        found.byteswap()
    return found.tobytes()


@final
class TreesBuilder:
    """Trees node by node, as a reader finds them."""

    def __init__(self, columns: int = 1) -> None:
        self._columns = columns
        self._roots: list[int] = []
        self._feature: list[int] = []
        self._cut: list[float] = []
        self._missing_left: list[bool] = []
        self._code_set: list[int] = []
        self._left: list[int] = []
        self._right: list[int] = []
        self._values: list[float] = []
        self._sets: dict[tuple[int, ...], int] = {}

    def root(self) -> None:
        """The next node begins a tree."""
        self._roots.append(len(self._feature))

    def number_test(self, feature: int, cut: float, *, missing_left: bool) -> int:
        """A node whose children are given later, by `children`; its index."""
        return self._node(feature, cut, missing_left, -1)

    def code_test(self, feature: int, codes: Iterable[int], *, missing_left: bool) -> int:
        """The same for a category."""
        chosen = tuple(sorted(set(codes)))
        return self._node(feature, math.nan, missing_left, self._sets.setdefault(chosen, len(self._sets)))

    def leaf(self, values: Sequence[float]) -> int:
        assert len(values) == self._columns
        index = self._node(-1, math.nan, False, -1)
        self._left[index] = len(self._values) // self._columns
        self._values += values
        return index

    def children(self, node: int, left: int, right: int) -> None:
        self._left[node], self._right[node] = left, right

    def _node(self, feature: int, cut: float, missing_left: bool, code_set: int) -> int:
        self._feature.append(feature)
        self._cut.append(cut)
        self._missing_left.append(missing_left)
        self._code_set.append(code_set)
        self._left.append(-1)
        self._right.append(-1)
        return len(self._feature) - 1

    def done(self) -> TreeArrays:
        return TreeArrays(
            roots=packed("i", self._roots),
            feature=packed("i", self._feature),
            cut=packed("d", self._cut),
            missing_left=packed("b", self._missing_left),
            code_set=packed("i", self._code_set),
            left=packed("i", self._left),
            right=packed("i", self._right),
            values=packed("d", self._values),
            columns=self._columns,
            code_sets=tuple(self._sets),
        )
