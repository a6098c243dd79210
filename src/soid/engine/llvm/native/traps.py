"""The checks that end the trapping build, in the engine's words."""

from __future__ import annotations

from typing import Final

#: numbers of clang's sanitizer checks, as its traps carry them
TRAPS: Final = {
    0: "signed overflow",
    1: "unreachable code",
    3: "division by zero",
    5: "float-to-integer conversion out of range",
    6: "call of a function of another type",
    10: "value that its type does not have",
    12: "signed overflow",
    13: "signed overflow",
    16: "null argument",
    18: "out-of-bounds access",
    19: "pointer overflow",
    20: "shift out of range",
    21: "signed overflow",
    22: "null dereference",
    24: "array length that is not positive",
    255: "trap",
}
