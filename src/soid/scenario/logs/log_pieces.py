"""What every format of log gives, and the sequence of steps that is read from it piece by piece.

>>> class Tens:
...     sizes = (10, 10, 3)
...     def piece(self, number: int) -> list[int]:
...         print("reads", number)
...         return list(range(10 * number, 10 * number + self.sizes[number]))
>>> steps = PiecewiseSequence(Tens.sizes, Tens().piece)
>>> len(steps), steps[-1], steps[21:]
reads 2
(23, 22, (21, 22))
"""

from __future__ import annotations

import itertools
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Generic, Protocol, TypeVar, final, overload

from soid.errors import TraceError
from soid.scenario.log_formats import LogRecord
from soid.scenario.logs.cell_columns import CellColumns

T = TypeVar("T")

_HELD: Final = 8  # pieces that are kept


class LogSource(Protocol):
    """A log: records in pieces, each of which can be read by itself."""

    @property
    def name(self) -> str:
        """The file, for messages."""
        ...

    @property
    def is_large(self) -> bool:
        """Whether the log is read when its steps are asked for. If not, it has one piece."""
        ...

    @property
    def sizes(self) -> Sequence[int]:
        """Of a large log: the number of records in each piece."""
        ...

    def records(self, piece: int) -> Iterator[LogRecord]: ...

    def cells(self, piece: int) -> CellColumns | None:
        """A piece of a large log column by column; None if its records say more, or say what is wrong with it."""
        ...


def refuse_count(source: LogSource, piece: int, read: int) -> None:
    """Refuse a piece of a large log that has other records than its index says."""
    if read != source.sizes[piece]:
        problem = f"{source.name}: {read} rows were read where {source.sizes[piece]} were counted"
        raise TraceError(problem, "Remove lines that have nothing but blanks in them, or get the whole file.")


@final
class HeldPieces(Generic[T]):
    """Pieces that are read when they are asked for; the last ones are kept, so that neighbours are not read again."""

    def __init__(self, read: Callable[[int], Sequence[T]], most: int = _HELD) -> None:
        self._read, self._most = read, most
        self._held: OrderedDict[int, Sequence[T]] = OrderedDict()
        self._lock = threading.Lock()  # several questions may look at one log

    def __getitem__(self, number: int) -> Sequence[T]:
        with self._lock:
            if number not in self._held:
                self._held[number] = self._read(number)
                if len(self._held) > self._most:
                    self._held.popitem(last=False)
            self._held.move_to_end(number)
            return self._held[number]

    def passing(self, number: int) -> Sequence[T]:
        """The same for a walk over all pieces, which keeps none."""
        return self._held.get(number) or self._read(number)


@final
class PiecewiseSequence(Sequence[T]):
    """A sequence whose pieces are read when they are asked for."""

    def __init__(self, sizes: Sequence[int], piece: Callable[[int], Sequence[T]]) -> None:
        self._starts = [0, *itertools.accumulate(sizes)]
        self._pieces = HeldPieces(piece)

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[T, ...]: ...
    def __getitem__(self, at: int | slice) -> T | tuple[T, ...]:
        if isinstance(at, slice):
            return tuple(self[each] for each in range(*at.indices(len(self))))
        place = at + len(self) if at < 0 else at
        if not 0 <= place < len(self):
            raise IndexError(at)
        number = bisect_right(self._starts, place) - 1
        return self._pieces[number][place - self._starts[number]]

    def __iter__(self) -> Iterator[T]:
        for number in range(len(self._starts) - 1):
            yield from self._pieces.passing(number)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # it may be as long as a log
