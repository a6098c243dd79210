"""How results show themselves: `str` gives the terminal's text, and a notebook shows what the report would.

Sentences, tables and pictures are made in packages above those whose records are shown. So they are loaded by name
when something is shown: see `soid.showing`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable


class Shown:
    """A result that shows itself."""

    __slots__ = ()

    def __str__(self) -> str:
        """What the terminal would show of it."""
        return _showing("text")(self)

    def _repr_html_(self) -> str:
        """What the report would show of it, for notebooks: self-contained, with all text escaped."""
        return _showing("html")(self)


def _showing(form: str) -> Callable[[Shown], str]:
    show: Callable[[Shown], str] = getattr(importlib.import_module(f"soid.showing.as_{form}"), form)
    return show
