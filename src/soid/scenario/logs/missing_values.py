"""The perceived values that a log does not have in all of its steps, for a warning: every value counts there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from soid.program.interface import Interface, Role


@final
class MissingValues:
    """Counts such values over a log. State is not counted: it may follow from the steps before."""

    def __init__(self, interface: Interface) -> None:
        perceived = (v for v in interface.inputs if v.role is Role.ENVIRONMENT)
        self._unknown = {variable.path for variable in perceived if variable.initial is None}
        self._found: dict[str, tuple[int, str]] = {}  # by variable: how often, and where first

    def add(self, unlogged: tuple[str, ...], place: str, why: str) -> None:
        for path in unlogged:
            if path in self._unknown:
                count, first = self._found.get(path, (0, f"{place} ({why})" if why else place))
                self._found[path] = count + 1, first

    def warnings(self) -> Iterator[str]:
        for path, (count, first) in self._found.items():
            often = f"in {count:,} steps, first" if count > 1 else "in one step,"
            yield f"{path} is not logged {often} at {first}: answers there are for every value that it may have had"
