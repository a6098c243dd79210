"""How often something was found of the variables of a log, and where first, for warnings.

>>> found = Occurrences()
>>> found.add("x", "log.csv:3"), found.add("x", "log.csv:9"), found.add("y", "log.csv:4")
(None, None, None)
>>> dict(found)
{'x': 'in 2 steps, first at log.csv:3', 'y': 'in one step, at log.csv:4'}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import final


@final
class Occurrences:
    """Counts them in the order of the log; of a large log there is one of this for each piece."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str]] = {}  # by variable: how often, and where first

    def add(self, path: str, place: str, count: int = 1) -> None:
        before, first = self._found.get(path, (0, place))
        self._found[path] = before + count, first

    def add_all(self, later: Occurrences) -> None:
        """Add what was found in a later part of the log."""
        for path, (count, first) in later._found.items():
            self.add(path, first, count)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """The variables, each with how often and where, in words."""
        for path, (count, first) in self._found.items():
            yield path, f"in {count:,} steps, first at {first}" if count > 1 else f"in one step, at {first}"
