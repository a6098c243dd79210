"""A network over real numbers, as linear equations and ReLUs: what remains of its layers if no float is rounded.

Every function of straight pieces is made of ReLUs: max(x, y) is y + relu(x - y). Curves are none.

>>> from soid.engine.learned.column_steps import Column
>>> from numpy import array
>>> layers = (Affine(0, array([2.0, -1.0]).tobytes(), array([0.1]).tobytes()), Activated(1, "relu"))
>>> real = RealNetwork(Network((Column(0), Column(1)), 32, layers), features=2)
>>> real.rows
[RealRow(terms=((0, 2.0), (1, -1.0), (2, -1.0)), bound=-0.1, is_equal=True)]
>>> real.relus, real.vectors
([(2, 3)], [[0, 1], [2], [3]])
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from sys import float_info
from typing import Final, assert_never, final

from soid.engine.learned.column_steps import Column, ColumnArithmetic, ToFloat32
from soid.engine.learned.network import (
    Activated,
    Added,
    Affine,
    Extreme,
    Layer,
    Network,
    Rounded,
    Scaled,
    Selected,
    Softmaxed,
)
from soid.engine.learned.network_evaluation import numbers, places
from soid.engine.learned.real_query import RealRow

Terms = Iterable[tuple[int, float]]


#: weights of a network: with more of them a question would be hundreds of megabytes
MOST_WEIGHTS: Final = 1 << 20


class NoRealQueryError(Exception):
    """There is no question about real numbers, or it is too large; the message says why."""


@final
class RealNetwork:
    """Variables for all elements of all vectors, and what relates them; the first variables are the features."""

    def __init__(self, network: Network, features: int) -> None:
        if sum(len(each.weights) // 8 for each in network.layers if isinstance(each, Affine)) > MOST_WEIGHTS:
            raise NoRealQueryError(f"the network has more than {MOST_WEIGHTS:,} weights")
        self.variables = features
        self.rows: list[RealRow] = []
        self.relus: list[tuple[int, int]] = []
        self.vectors: list[list[int]] = [[self._column(each) for each in network.columns]]  # the variable of each
        for layer in network.layers:
            self.vectors.append(self._of(layer))

    def _of(self, layer: Layer) -> list[int]:
        """The variables of a layer's result."""
        match layer:
            case Affine(source, weights, bias):
                given = self.vectors[source]
                rows = numbers(weights).reshape(-1, len(given)).tolist()
                pairs = zip(rows, numbers(bias).tolist(), strict=True)
                return [self._sum(zip(given, row, strict=True), offset) for row, offset in pairs]
            case Scaled(source, factor, offset):
                given = self.vectors[source]
                both = numbers(factor).tolist(), numbers(offset).tolist()
                return [self._sum([(each, by)], add) for each, by, add in zip(given, *both, strict=True)]
            case Added(sources, subtracted):
                signs = [-1.0 if negative else 1.0 for negative in subtracted]
                together = zip(*(self.vectors[source] for source in sources), strict=True)
                return [self._sum(zip(each, signs, strict=True)) for each in together]
            case Selected(sources, vector, element):
                chosen = zip(places(vector).tolist(), places(element).tolist(), strict=True)
                return [self.vectors[sources[one]][other] for one, other in chosen]
            case Rounded(source):
                return self.vectors[source]
            case Activated(source):
                return [self._activated(layer, each) for each in self.vectors[source]]
            case Extreme(source, groups, size, least):
                given, sign = self.vectors[source], -1.0 if least else 1.0
                members = places(groups).reshape(-1, size).tolist()
                return [reduce(lambda a, b: self._extreme(a, b, sign), (given[e] for e in group)) for group in members]
            case Softmaxed():
                raise _unknown("softmax")
            case _:
                assert_never(layer)

    def _activated(self, layer: Activated, given: int) -> int:
        match layer.function:
            case "relu":
                return self._relu(given)
            case "leaky_relu":
                return self._sum([(given, layer.alpha), (self._relu(given), 1.0 - layer.alpha)])
            case "clip":
                return self._clipped(given, layer.alpha, layer.beta)
            case "hard_sigmoid":
                return self._clipped(self._sum([(given, layer.alpha)], layer.beta), 0.0, 1.0)
            case _:
                raise _unknown(layer.function)

    def _clipped(self, given: int, low: float, high: float) -> int:
        """Not below, nor above; the bound above counts if both cannot be."""
        found = given
        if low != -float_info.max:
            found = self._sum([(self._relu(self._sum([(found, 1.0)], -low)), 1.0)], low)
        if high != float_info.max:
            found = self._sum([(self._relu(self._sum([(found, -1.0)], high)), -1.0)], high)
        return found

    def _extreme(self, one: int, other: int, sign: float) -> int:
        """The greater of two, or with -1 the lesser."""
        return self._sum([(other, 1.0), (self._relu(self._sum([(one, sign), (other, -sign)])), sign)])

    def _column(self, column: Column) -> int:
        """A feature after its preparation, which must be a scale and an offset."""
        factor, offset = 1.0, 0.0
        for step in column.steps:
            match step:
                case ToFloat32():
                    pass
                case ColumnArithmetic("add", value):
                    offset += value
                case ColumnArithmetic("subtract", value):
                    offset -= value
                case ColumnArithmetic("multiply", value):
                    factor, offset = factor * value, offset * value
                case ColumnArithmetic("divide", value):
                    factor, offset = factor / value, offset / value
                case _:
                    raise _unknown(f"{type(step).__name__.lower()} of an input")
        return self._sum([(column.feature, factor)], offset) if column.steps else column.feature

    def _relu(self, given: int) -> int:
        self.relus.append((given, self._fresh()))
        return self.relus[-1][1]

    def _sum(self, terms: Terms, offset: float = 0.0) -> int:
        """The variable of a sum."""
        found = self._fresh()
        self.rows.append(RealRow((*summed(terms), (found, -1.0)), -offset, is_equal=True))
        return found

    def _fresh(self) -> int:
        self.variables += 1
        return self.variables - 1


def _unknown(part: str) -> NoRealQueryError:
    return NoRealQueryError(f"it is asked about straight pieces, and knows no {part}")


def summed(terms: Terms) -> Sequence[tuple[int, float]]:
    """Each variable once, and none with the factor 0."""
    found: dict[int, float] = {}
    for variable, factor in terms:
        found[variable] = found.get(variable, 0.0) + factor
    return [(variable, factor) for variable, factor in found.items() if factor]
