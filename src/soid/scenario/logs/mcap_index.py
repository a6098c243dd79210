"""Where the messages of one topic are in an MCAP file: stretches of time, each with the number of its messages.

A file has its messages in chunks, and after each chunk the times of its messages. These are read, and no message is:

    chunk 1   times 1 2 3 5        window 0   [1, 4)  3 messages, the first one in chunk 1
    chunk 2   times 4 6 6          window 1   [4, ..) 4 messages, the first one in chunk 2

Messages are in the order of their times; of those at one time, the one that comes first in the file is first. A chunk
without such an index is gone through.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from io import BufferedReader
from typing import Any, Final, final

from msgspec import Struct

from soid.allowance import paced

#: messages of a window, unless more are at one time
WINDOW: Final = 1 << 12
#: bytes of the chunks that a window begins in, unless that is one
_BYTES: Final = 1 << 23
_INDEX: Final = struct.Struct("<BQHI")  # its kind, its length, the channel, the bytes of times
_RECORD: Final = struct.Struct("<BQ")  # of a chunk: its kind, its length
_MESSAGE: Final = struct.Struct("<HIQQ")  # the channel, a number, the time, and when it was sent
_IS_MESSAGE, _IS_INDEX = 5, 7  # kinds of records

Entry = tuple[int, int]  # the time of a message, and where it is in its chunk


@final
class MessageWindow(Struct, frozen=True):
    """The messages of a stretch of time."""

    begin: int  # nanoseconds
    end: int | None  # the first time after it; None: it is the last
    count: int
    chunk: Any  # that has the first message
    offset: int  # of that message in the chunk


@final
class McapIndex:
    """Finds the messages on some channels. What is wrong with the file is a ValueError or a struct.error."""

    def __init__(self, file: BufferedReader, channels: frozenset[int], data: Callable[[Any], bytes]) -> None:
        self._file, self._channels = file, channels
        self._data = data  # gives what is in a chunk

    def windows(self, chunks: Sequence[Any]) -> list[MessageWindow]:
        """The stretches of time in which there are messages."""
        cuts = self._cuts(chunks)
        counts = [0] * len(cuts)
        firsts: list[tuple[int, int, int] | None] = [None] * len(cuts)  # time, number of the chunk, place in it
        mine = sorted(chunks, key=lambda chunk: chunk.chunk_start_offset)
        for number, chunk in enumerate(paced(mine, "reading the log")):
            entries, at = self.entries(chunk), 0
            while at < len(entries):
                window = bisect_right(cuts, entries[at][0]) - 1
                if window < 0:
                    raise ValueError("a message is earlier than its chunk")
                end = bisect_left(entries, (cuts[window + 1], -1)) if window + 1 < len(cuts) else len(entries)
                first, known = (entries[at][0], number, entries[at][1]), firsts[window]
                firsts[window] = first if known is None else min(known, first)
                counts[window] += end - at
                at = end
        return [
            MessageWindow(begin, end, count, mine[first[1]], first[2])
            for begin, end, count, first in zip(cuts, [*cuts[1:], None], counts, firsts, strict=True)
            if first is not None
        ]

    def _cuts(self, chunks: Sequence[Any]) -> list[int]:
        """The times at which windows begin: as many messages in each as are wanted, in few chunks."""
        found: list[int] = []
        messages = size = 0
        for chunk in paced(sorted(chunks, key=lambda chunk: chunk.message_start_time), "reading the log"):
            count = self.count(chunk)
            if not found or messages + count > WINDOW or size + chunk.uncompressed_size > _BYTES:
                found.append(chunk.message_start_time)
                messages = size = 0
            messages, size = messages + count, size + chunk.uncompressed_size
            if count > WINDOW:
                found += (time for time, _ in self.entries(chunk)[WINDOW::WINDOW])
        return sorted(set(found))

    def count(self, chunk: Any) -> int:
        """How many messages of the channels a chunk has."""
        if not chunk.message_index_offsets:
            return len(self.entries(chunk))
        return sum(length // 16 for _, length in self._indexes(chunk))

    def entries(self, chunk: Any) -> list[Entry]:
        """The messages of a chunk, in order."""
        if not chunk.message_index_offsets:
            return sorted(messages_in(self._data(chunk), self._channels))
        found: list[Any] = []
        for offset, length in list(self._indexes(chunk)):
            self._file.seek(offset)
            found += struct.iter_unpack("<QQ", self._file.read(length))
        found.sort()
        return found

    def _indexes(self, chunk: Any) -> Iterator[tuple[int, int]]:
        """Where the times of a chunk's messages are, and how many bytes they have."""
        for channel, offset in chunk.message_index_offsets.items():
            if channel in self._channels:
                self._file.seek(offset)
                kind, _, named, length = _INDEX.unpack(self._file.read(_INDEX.size))
                if kind != _IS_INDEX or named != channel or length % 16:
                    raise ValueError("the index of a chunk's messages is not where the summary says")
                yield offset + _INDEX.size, length


def messages_in(data: bytes, channels: frozenset[int]) -> Iterator[Entry]:
    """The messages on some channels in a chunk, as they lie in it."""
    at = 0
    while at < len(data):
        kind, length = _RECORD.unpack_from(data, at)
        if kind == _IS_MESSAGE:
            channel, _, time, _ = _MESSAGE.unpack_from(data, at + _RECORD.size)
            if channel in channels:
                yield time, at
        at += _RECORD.size + length


def message_at(data: bytes, offset: int) -> tuple[int, int, bytes]:
    """A message in a chunk: its channel, its time, and what it says."""
    kind, length = _RECORD.unpack_from(data, offset)
    begin = offset + _RECORD.size
    channel, _, time, _ = _MESSAGE.unpack_from(data, begin)
    if kind != _IS_MESSAGE or begin + length > len(data):
        raise ValueError("its index does not say where its messages are")
    return channel, time, data[begin + _MESSAGE.size : begin + length]
