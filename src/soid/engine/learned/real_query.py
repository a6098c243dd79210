"""A question about real numbers, as a verifier of networks takes it: does a point of a box satisfy all of it?

    box            the ranges of the first variables
    rows           sums of variables times factors: each is a number, or not above it
    relus          pairs of variables: the second is the first where that is above zero, else 0
    alternatives   further rows, of which all of one alternative hold

Factors and bounds are float64: a decimal that is none is rounded, for a verifier computes in floats itself.
"""

from __future__ import annotations

from typing import final

from msgspec import Struct


@final
class RealRow(Struct, frozen=True, array_like=True):
    """A sum of variables times factors, compared with a number."""

    terms: tuple[tuple[int, float], ...]
    bound: float
    is_equal: bool = False  # else it is not above the bound


@final
class RealQuery(Struct, frozen=True):
    """All of a question."""

    variables: int
    box: tuple[tuple[float, float], ...]
    rows: tuple[RealRow, ...]
    relus: tuple[tuple[int, int], ...]
    alternatives: tuple[tuple[RealRow, ...], ...]
