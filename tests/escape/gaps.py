"""Tricks that succeed today, by reason: a line is removed when its gap is closed."""

from __future__ import annotations

from tests.escape.trick import Trick, Variant

GAPS: dict[str, dict[str, str]] = {}


def reason(trick: Trick, variant: Variant) -> str:
    """Why a trick succeeds in a variant; empty where it does not."""
    return next((why for why, known in GAPS.items() if variant.value in known.get(trick.id, "").split()), "")
