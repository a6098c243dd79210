"""The x87's extended floats, C's long double on x86, in memory and in registers.

    memory, 80 bits          sign, 15 bits of exponent, the integer bit, 63 bits of fraction
    a register, 79 bits      the same without the integer bit, which the exponent implies: Float(15, 64)

The processor never computes a number whose integer bit does not follow from its exponent. A program that makes one from
its bits is refused.
"""

from __future__ import annotations

from typing import Final

from soid.engine.llvm.ir.ir_types import X86_FP80, Type
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.formula import build
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term

FLOAT80: Final = Float(15, 64)
SIZE: Final = 10  # bytes
_FRACTION: Final = 63  # bits
_BELOW: Final = (1 << _FRACTION) - 1


def is_extended(kind: Type) -> bool:
    return kind == X86_FP80


def from_memory(bits: int) -> int:
    """The float that 80 bits of memory are.

    >>> hex(from_memory(0x3FFF_8000_0000_0000_0000)), from_memory(0)
    ('0x1fff8000000000000000', 0)
    """
    above, has_integer_bit = bits >> _FRACTION + 1, bits >> _FRACTION & 1
    if has_integer_bit != bool(above & 0x7FFF):
        raise NotModelled("a long double that the processor never computes")
    return above << _FRACTION | bits & _BELOW


def to_memory(bits: int) -> int:
    """The 80 bits of memory of a float.

    >>> hex(to_memory(from_memory(0xC000_9000_0000_0000_0000)))
    '0xc0009000000000000000'
    """
    above = bits >> _FRACTION
    return above << _FRACTION + 1 | bool(above & 0x7FFF) << _FRACTION | bits & _BELOW


def memory_bits(pattern: Term) -> Term:
    """The same for the 79 bits of a float as a term."""
    one = BitVec(1)
    above, below = build.extract(pattern, FLOAT80.width - 1, _FRACTION), build.extract(pattern, _FRACTION - 1, 0)
    exponent = build.extract(above, 14, 0)
    tiny = build.eq(exponent, build.const(exponent.sort, 0))
    integer_bit = build.ite(tiny, build.const(one, 0), build.const(one, 1))
    return build.concat(build.concat(above, integer_bit), below)
