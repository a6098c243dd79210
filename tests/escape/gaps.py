"""Tricks that succeed today, by reason: a line is removed when its gap is closed."""

from __future__ import annotations

from tests.escape.trick import Trick, Variant

#: by reason, then by trick: the variants in which it succeeds
GAPS: dict[str, dict[str, str]] = {
    "nothing limits what loading and compiling take": {
        **{
            f"bombs: {what}": "plain"
            for what in (
                *("doubling macros", "include /dev/zero", "include /dev/random", "static array of 100 MB"),
                *("initialised array of 100 MB", "100,000 functions", "long chain of operators", "deep ifs"),
                *("else-if chain", "switch of 300,000 cases", "pragma clang __debug overflow_stack"),
                "log of 3,000,000 steps",
            )
        },
        "bombs: templates that double": "c++",
        "bombs: constexpr loop": "c++",
    },
}


def reason(trick: Trick, variant: Variant) -> str:
    """Why a trick succeeds in a variant; empty where it does not."""
    return next((why for why, known in GAPS.items() if variant.value in known.get(trick.id, "").split()), "")
