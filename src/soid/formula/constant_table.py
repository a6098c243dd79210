"""Constant tables: a learned model's rows, looked up by an index that may be symbolic.

A look-up is one term, however many rows the table has. Rows past the end read 0. Zeros at the end are dropped, so
that two tables that agree at every index are the same object.

>>> from soid.formula.sorts import BitVec
>>> primes = ConstantTable.of(BitVec(8), [2, 3, 5, 0, 0])
>>> primes.rows, primes.at(1), primes.at(99)
((2, 3, 5), 3, 0)
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from typing import Final, final

from soid.formula.sorts import BitVec, Float


@final
class ConstantTable:
    """An immutable table of bit-vectors or floats, compared by identity."""

    __slots__ = ("__weakref__", "rows", "sort")

    sort: BitVec | Float  # of each row
    rows: tuple[int, ...]  # values as terms hold them: floats as bits, NaN folded; no zeros at the end

    @staticmethod
    def of(sort: BitVec | Float, rows: Iterable[int]) -> ConstantTable:
        values = [row & sort.mask for row in rows]
        if isinstance(sort, Float):
            values = [sort.nan if row & ~sort.sign_bit > sort.infinity else row for row in values]
        while values and not values[-1]:
            values.pop()
        key = (sort, tuple(values))
        with _lock:
            table = _interned.get(key)
            if table is None:
                table = ConstantTable()
                table.sort, table.rows = key
                _interned[key] = table
        return table

    def at(self, index: int) -> int:
        return self.rows[index] if index < len(self.rows) else 0

    def __repr__(self) -> str:
        return f"<table of {len(self.rows)} rows of {self.sort.smtlib}>"


_interned: Final[weakref.WeakValueDictionary[tuple[BitVec | Float, tuple[int, ...]], ConstantTable]] = (
    weakref.WeakValueDictionary()
)
_lock: Final = threading.Lock()
