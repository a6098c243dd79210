"""A neural network as data: vectors of numbers, each made of earlier ones by a layer.

    columns           the first vector: features after their preparation, as the runtime is given them
      Affine          weights * x + bias, added in any order, fused or not
      Scaled          factor * x + offset, element by element
      Added           the sum or the difference of vectors, element by element
      Selected        elements of earlier vectors in another order: concat, slice, transpose; nothing is computed
      Activated       a function of each element
      Extreme         the greatest or the least of some elements: max, min, pooling
      Softmaxed       e^x over the sum of all in its group

A layer says what a runtime computes as a function of real numbers, and how far the floats may be off: no order of
summation, no fusion and no treatment of subnormal numbers is taken for granted. `x` below is the vector as the runtime
has it, in floats; `u` is 2^-24 or 2^-53, half a unit in the last place of 1. Long rows of numbers are kept as bytes,
little-endian float64, whatever the precision: every float32 is one.
"""

from __future__ import annotations

from typing import Literal, final

from msgspec import Struct

from soid.engine.learned.column_steps import Column

Precision = Literal[32, 64]


@final
class Affine(Struct, frozen=True, tag="affine"):
    """weights * x + bias. Products and sums are rounded in any order; a product may be fused with the sum after it."""

    source: int  # the vector it is made of: 0 is that of the columns, k that of layer k
    weights: bytes  # a row for each element of the result, a column for each of the source
    bias: bytes  # one for each element of the result
    precision: Precision = 32
    roundings: int = 0  # of each weight or term beside those of the sum: of weights that a runtime may have folded
    #: for all elements the least, then the greatest size of what a runtime may have multiplied their weights and terms
    #: with: factors that it has folded in, or has left for later; empty: 1 and 1
    factors: bytes = b""


@final
class Scaled(Struct, frozen=True, tag="scaled"):
    """factor * x + offset, with at most so many relative errors of u in each of the two terms and in their sum."""

    source: int
    factor: bytes  # one for each element
    offset: bytes
    roundings: int  # 0: exact, as a change of sign is; a multiplication 1; a division 1; both with an addition 2
    precision: Precision = 32


@final
class Added(Struct, frozen=True, tag="added"):
    """x + y + ..., of which some are subtracted; rounded after each addition, in any order."""

    sources: tuple[int, ...]
    subtracted: tuple[bool, ...]  # for each source
    precision: Precision = 32


@final
class Selected(Struct, frozen=True, tag="selected"):
    """Elements of earlier vectors."""

    sources: tuple[int, ...]
    vector: bytes  # "i", little-endian, for each element of the result: its place in `sources`
    element: bytes  # "i": and in that vector


@final
class Rounded(Struct, frozen=True, tag="rounded"):
    """A cast to a smaller precision."""

    source: int
    precision: Precision


#: leaky_relu: x, below zero alpha * x; clip: not below alpha nor above beta (no bound: the least or the greatest
#: float64, for JSON has no infinities); hard_sigmoid: alpha * x + beta between 0 and 1
ActivationFunction = Literal["relu", "leaky_relu", "clip", "hard_sigmoid", "sigmoid", "tanh", "exp"]


@final
class Activated(Struct, frozen=True, tag="activated"):
    """A function of each element. Sigmoid, tanh and exp are the runtime's own, which are not monotone to the bit."""

    source: int
    function: ActivationFunction
    alpha: float = 0.0
    beta: float = 0.0
    precision: Precision = 32


@final
class Extreme(Struct, frozen=True, tag="extreme"):
    """Of each group of elements of one vector the greatest, or the least."""

    source: int
    groups: bytes  # "i": `size` elements for each of the result
    size: int
    least: bool = False


@final
class Softmaxed(Struct, frozen=True, tag="softmaxed"):
    """e^x over the sum of e^x in the group; consecutive elements are a group."""

    source: int
    size: int
    precision: Precision = 32


Layer = Affine | Scaled | Added | Selected | Rounded | Activated | Extreme | Softmaxed


@final
class Network(Struct, frozen=True):
    """All layers, each after those that it needs."""

    columns: tuple[Column, ...]  # the vector 0
    precision: Precision  # of the columns
    layers: tuple[Layer, ...]  # the vectors 1, 2, ...


@final
class NetworkTerm(Struct, frozen=True):
    """One element of a vector, times a factor."""

    vector: int
    element: int
    factor: float = 1.0


@final
class NetworkSum(Struct, frozen=True, tag="network"):
    """A number of a network: one element, or a sum of some as real numbers, rounded once more if it says so.

    The lead of one class over another is a difference that is not rounded: its sign tells how two floats compare.
    """

    name: str
    network: int  # index of `LearnedModel.networks`
    terms: tuple[NetworkTerm, ...]
    precision: Precision = 32  # of the number as it is shown; of a lead 64, rounded outwards
    rounded: bool = False  # an application has rounded the sum to the precision
    any_order: bool = True
