"""The sorts a term can have: Bool, BitVec(n) and Float(exponent, significand).

Values of a sort are plain Python objects, so that folding and evaluation need no wrapper:

    Bool    bool
    BitVec  int, 0 <= value < 2**width
    Float   int, the IEEE-754 bit pattern, with every NaN folded to the one quiet NaN of `Float.nan`

>>> FLOAT32.width, FLOAT32.smtlib
(32, '(_ FloatingPoint 8 24)')
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final


@final
@dataclass(frozen=True, slots=True)
class Bool:
    """Truth values."""

    @property
    def smtlib(self) -> str:
        return "Bool"


@final
@dataclass(frozen=True, slots=True)
class BitVec:
    """Bit-vectors; whether one reads as a signed or an unsigned number is the operator's business."""

    width: int  # number of bits, at least 1

    def __post_init__(self) -> None:
        if self.width < 1:
            raise ValueError(f"a bit-vector has at least one bit, not {self.width}")

    @property
    def smtlib(self) -> str:
        return f"(_ BitVec {self.width})"

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1


@final
@dataclass(frozen=True, slots=True)
class Float:
    """IEEE-754 binary floats."""

    exponent: int  # bits of the exponent, at least 2
    significand: int  # bits of the significand, the hidden one included, at least 2

    def __post_init__(self) -> None:
        if self.exponent < 2 or self.significand < 2:
            raise ValueError(f"no float format has {self.exponent} exponent and {self.significand} significand bits")

    @property
    def smtlib(self) -> str:
        return f"(_ FloatingPoint {self.exponent} {self.significand})"

    @property
    def width(self) -> int:
        return self.exponent + self.significand

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1

    @property
    def sign_bit(self) -> int:
        return 1 << (self.width - 1)

    @property
    def infinity(self) -> int:
        """The bits of plus infinity."""
        return ((1 << self.exponent) - 1) << (self.significand - 1)

    @property
    def nan(self) -> int:
        """The bits that stand for every NaN: quiet, positive, no payload."""
        return self.infinity | 1 << (self.significand - 2)

    @property
    def max_finite(self) -> int:
        """The bits of the largest finite number."""
        return self.infinity - 1

    @property
    def bias(self) -> int:
        return (1 << (self.exponent - 1)) - 1


Sort = Bool | BitVec | Float

BOOL: Final = Bool()
FLOAT16: Final = Float(5, 11)
FLOAT32: Final = Float(8, 24)
FLOAT64: Final = Float(11, 53)
