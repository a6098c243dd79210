"""The sorts a term can have: Bool, BitVec(n) and Float(exponent, significand).

Values of a sort are plain Python objects, so that folding and evaluation need no wrapper:

    Bool    bool
    BitVec  int, 0 <= value < 2**width
    Float   int, the IEEE-754 bit pattern, with every NaN folded to the one quiet NaN of `Float.nan`

>>> FLOAT32.width, FLOAT32.smtlib
(32, '(_ FloatingPoint 8 24)')
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, final

from msgspec import Struct


@final
class Bool(Struct, frozen=True):
    """Truth values."""

    smtlib = "Bool"


@final
@dataclass(frozen=True, slots=True)
class BitVec:
    """Bit-vectors. They have no sign: each operator reads them as signed or as unsigned numbers."""

    width: int  # number of bits, at least 1
    mask: int = field(init=False, repr=False, compare=False)  # all bits set

    def __post_init__(self) -> None:
        if self.width < 1:
            raise ValueError(f"a bit-vector has at least one bit, not {self.width}")
        object.__setattr__(self, "mask", (1 << self.width) - 1)

    @property
    def smtlib(self) -> str:
        return f"(_ BitVec {self.width})"


@final
@dataclass(frozen=True, slots=True)
class Float:
    """IEEE-754 binary floats. The derived fields are computed once, because every operation needs them."""

    exponent: int  # bits of the exponent, at least 2
    significand: int  # bits of the significand, the hidden one included, at least 2
    width: int = field(init=False, repr=False, compare=False)
    mask: int = field(init=False, repr=False, compare=False)  # all bits set
    sign_bit: int = field(init=False, repr=False, compare=False)
    infinity: int = field(init=False, repr=False, compare=False)  # the bits of plus infinity
    nan: int = field(init=False, repr=False, compare=False)  # the only NaN in terms: quiet, positive, no payload

    def __post_init__(self) -> None:
        if self.exponent < 2 or self.significand < 2:
            raise ValueError(f"no float format has {self.exponent} exponent and {self.significand} significand bits")
        width = self.exponent + self.significand
        infinity = ((1 << self.exponent) - 1) << (self.significand - 1)
        object.__setattr__(self, "width", width)
        object.__setattr__(self, "mask", (1 << width) - 1)
        object.__setattr__(self, "sign_bit", 1 << (width - 1))
        object.__setattr__(self, "infinity", infinity)
        object.__setattr__(self, "nan", infinity | 1 << (self.significand - 2))

    @property
    def smtlib(self) -> str:
        return f"(_ FloatingPoint {self.exponent} {self.significand})"

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
FLOAT128: Final = Float(15, 113)
