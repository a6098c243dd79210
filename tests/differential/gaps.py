"""What the engine is known not to see, by name; the generator of random programs avoids each of them.

Each gap is behaviour that C leaves undefined or open and of which nothing is left in the IR that is explored, so a path
decides where C promises no decision. `test_gaps.py` shows each of them on its program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Gap:
    """A program that shows the gap on one state: the engine decides there."""

    why: str
    source: str  # defines `int decide(...)`
    inputs: Mapping[str, int]  # bits by parameter, in their order
    traps: bool = False  # whether a check of clang's sanitizers stops the compiled program there


GAPS: Final = {
    "undefined behaviour in a constant expression": Gap(
        "the front end computes `INT_MAX + 1` itself and writes the number that it got into the IR",
        "int decide(int a) { return a + (2147483647 + 1); }",
        {"a": 0},
        traps=True,
    ),
    "out-of-range conversion in an initializer": Gap(
        "the front end computes `(unsigned short)1e6` itself; in a constant of the module no trace of it is left",
        "int decide(int a) { unsigned short limits[] = {1e6, 2}; return a + limits[0]; }",
        {"a": 0},
    ),
    "shift count wider than what is shifted": Gap(
        "`int32 << int64` cuts the count to 32 bits before the shift, so that 2**32 is a shift by 0",
        "int decide(int a, long long n) { return a << n; }",
        {"a": 1, "n": 1 << 32},
        traps=True,
    ),
    "left shift of a negative number or into the sign": Gap(
        "clang defines it and writes a plain `shl`; C17 6.5.7 leaves it open",
        "int decide(int a) { return a << 1; }",
        {"a": 0xFFFF_FFFF},
        traps=True,
    ),
    "variable-length array of length 0": Gap(
        "its memory is explored as what it is, no byte; that C asks for at least one element does not show in the IR",
        "int decide(int n) { int seen[n]; return sizeof seen; }",
        {"n": 0},
        traps=True,
    ),
    "a bool that is neither 0 nor 1": Gap(
        "its lowest bit is taken, as the compiled code does; the load that C leaves undefined is a plain one in the IR",
        "#include <string.h>\nint decide(unsigned char a) { _Bool set; memcpy(&set, &a, 1); return set; }",
        {"a": 2},
        traps=True,
    ),
    "access at an address of the wrong alignment": Gap(
        "an address has no digits in the engine, and what lies at it is read byte by byte",
        "int decide(int a) { _Alignas(4) char raw[8] = {0}; raw[1] = (char)a; return *(int *)(raw + 1); }",
        {"a": 5},
    ),
    "storage that went out of scope inside its function": Gap(
        "a local of an inner block lives until its function returns, as it does in unoptimised code",
        "int decide(int a) { int *p; { int inner = a; p = &inner; } return *p; }",
        {"a": 5},
    ),
    "order of evaluation that C leaves open": Gap(
        "the front end has chosen an order; where it warns of it (`-Wunsequenced`), answers say so under *relies on*",
        "int decide(int a) { int i = a; i = i++ + ++i; return i; }",
        {"a": 5},
    ),
    "restrict pointers to memory that overlaps": Gap(
        "what is stored through one is read through the other; where they share an object, *relies on* says so",
        "static int both(int *restrict p, int *restrict q) { *p = 1; *q = 2; return *p; }\n"
        "int decide(int a) { return both(&a, &a); }",
        {"a": 5},
    ),
    "memcpy of no bytes at a null pointer": Gap(
        "it does nothing, as C2y defines it; before that C leaves it open, and *relies on* says so",
        "#include <string.h>\nint decide(int a) { char *none = a ? 0 : (char *)&a; memcpy(&a, none, 0); return a; }",
        {"a": 5},
        traps=True,
    ),
    "an address beyond its array, or before it": Gap(
        "only an access there fails; where such an address is compared or becomes a number, *relies on* says so",
        "int decide(int a) { int seen[4]; int *p = seen + a; return p == seen; }",
        {"a": 9},
        traps=True,
    ),
}
