"""A column: a number that is made from one feature before a model computes with it, step by step."""

from __future__ import annotations

from typing import Literal, final

from msgspec import Struct


@final
class Column(Struct, frozen=True):
    """A number made from one feature, in float64, step by step; the features of linear sums."""

    feature: int
    steps: tuple[ColumnStep, ...] = ()


@final
class Impute(Struct, frozen=True, tag="impute"):
    """A missing number becomes this one."""

    value: float


@final
class ColumnArithmetic(Struct, frozen=True, tag="arithmetic"):
    """One rounded float64 operation with a constant on the right; factors and divisors are not 0."""

    operation: Literal["add", "subtract", "multiply", "divide"]
    value: float


@final
class ToFloat32(Struct, frozen=True, tag="float32"):
    """Rounded to float32."""


@final
class Clip(Struct, frozen=True, tag="clip"):
    """Not below, nor above."""

    low: float
    high: float


@final
class Table(Struct, frozen=True, tag="table"):
    """A category becomes a number: by its code, else (unseen or missing) the other ones, of which None is NaN."""

    entries: tuple[tuple[int, float], ...]
    unseen: float | None
    missing: float | None = None


@final
class Bins(Struct, frozen=True, tag="bins"):
    """How many of the edges are at most the number, which must not be missing."""

    edges: tuple[float, ...]


@final
class Indicator(Struct, frozen=True, tag="indicator"):
    """1 if the number is this one, else 0; None: if it is missing."""

    value: float | None


ColumnStep = Impute | ColumnArithmetic | ToFloat32 | Clip | Table | Bins | Indicator
