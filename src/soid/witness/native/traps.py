"""Traps and failures: what the trapping build can tell, and which failures it is sure to catch.

A failure that the engine finds is confirmed by a trap of the same kind. Where a kind is always caught, a run that
comes back contradicts the engine; where it is not (no trap sees a use after free), it says nothing.
"""

from __future__ import annotations

from typing import Final

#: numbers of clang's sanitizer checks as its traps carry them, in the engine's words
TRAPS: Final = {
    0: "signed overflow",
    1: "unreachable code",
    3: "division by zero",
    5: "float-to-integer conversion out of range",
    8: "invalid value",
    12: "signed overflow",
    13: "signed overflow",
    18: "out-of-bounds access",
    19: "pointer overflow",
    20: "shift out of range",
    21: "signed overflow",
    22: "null dereference",
    255: "trap",
}
