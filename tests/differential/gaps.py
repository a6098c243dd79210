"""What the engine is known not to see, by name; the generator of random programs avoids each of them.

None of these makes a decision wrong: each is undefined behaviour of which nothing is left in the IR that is explored,
so that a path decides where the trapping build stops.
"""

from typing import Final

GAPS: Final = {
    "undefined behaviour in a constant expression": (
        "the front end computes `(uint16_t)1e6` itself and writes the number that it got into the IR"
    ),
    "shift count wider than what is shifted": (
        "`int32 << int64` cuts the count to 32 bits before the shift, so that 2**32 is a shift by 0"
    ),
    "left shift of a negative number or into the sign": (
        "clang defines it and writes a plain `shl`; C17 6.5.7 leaves it open"
    ),
    "sign of memcmp and strcmp": (
        "C promises the sign of their result and no more: the engine gives -1, 0 or 1, the library any number"
    ),
    "variable-length array of length 0": (
        "its memory is explored as what it is, no byte; that C asks for at least one element does not show in the IR"
    ),
    "a bool that is neither 0 nor 1": (
        "its lowest bit is taken, as the compiled code does; the load that C leaves undefined is a plain one in the IR"
    ),
    "access at an address of the wrong alignment": (
        "the digits of an address are nobody's, and what lies at it is read byte by byte all the same"
    ),
    "storage that went out of scope inside its function": (
        "a local of an inner block lives until its function returns, as it does in unoptimised code"
    ),
}
