"""What a log writes for a variable, before the manifest's units and digits turn it into values.

The values of a log say how the manifest reads it. To find out whether another reading fits better, the cells are read
again as they are written: undoing a conversion would bring back its rounding, not the cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from msgspec import Struct

from soid.program.trace_table import MappedColumn
from soid.scenario.log_formats import Literal


@final
class WrittenColumn(Struct, frozen=True):
    """The cells of one variable, and how the manifest reads them."""

    mapped: MappedColumn
    is_mapped: bool  # by the manifest; else the column has the variable's name
    rows: Sequence[tuple[Literal | None, ...]]  # by the place of the step, the cells of several variables
    at: int  # in a row

    def cell(self, place: int) -> Literal | None:
        """What the log writes at a step; None: nothing."""
        return self.rows[place][self.at]
