"""All tricks."""

from __future__ import annotations

from tests.escape.corpus import (
    assembly,
    bombs,
    calls,
    formulas,
    inclusion,
    linker,
    loader,
    manifests,
    memory,
    ready_made,
    symbols,
)
from tests.escape.trick import Trick, Variant

TRICKS = (
    *loader.TRICKS,
    *symbols.TRICKS,
    *linker.TRICKS,
    *inclusion.TRICKS,
    *assembly.TRICKS,
    *calls.TRICKS,
    *memory.TRICKS,
    *manifests.TRICKS,
    *ready_made.TRICKS,
    *formulas.TRICKS,
    *bombs.TRICKS,
)
QUICK: list[tuple[Trick, Variant]] = []
QUICK_CONTROLS: list[tuple[Trick, Variant]] = []
