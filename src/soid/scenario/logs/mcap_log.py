"""Logs of messages: MCAP files, as robots record them. Each message of one topic is a step.

Messages are decoded as JSON, ROS 2 or Protocol Buffers, by what the file says of their schema. The fields of a message
are columns, nested as in JSON. `log_time` is a column too, in nanoseconds: the clock that other topics are joined by,
unless the manifest names another.

A large file is read in pieces, each the messages of a stretch of time. It must have chunks, as recorders write them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from typing import Any, Final, final

from soid.allowance import paced
from soid.errors import EnvironmentalError, SoidError, TraceError
from soid.formula.sorts import FLOAT64
from soid.program.trace_table import LogClock
from soid.scenario.log_formats import LogRecord, fail, flat_cells, json_value, quoted
from soid.scenario.logs.cell_columns import CellColumns
from soid.scenario.logs.mcap_index import McapIndex, MessageWindow, message_at, messages_in
from soid.scenario.logs.message_values import plain_value
from soid.scenario.logs.text_log import file_state, opened

try:
    from mcap.data_stream import ReadDataStream
    from mcap.decoder import DecoderFactory
    from mcap.reader import SeekingReader
    from mcap.records import Chunk
    from mcap.stream_reader import get_chunk_data_stream
    from mcap.summary import Summary
    from mcap_protobuf.decoder import DecoderFactory as ProtobufFactory
    from mcap_ros2.decoder import DecoderFactory as Ros2Factory
except ImportError as missing:
    problem = f"reading a log of messages needs mcap and its decoders, which are not installed ({missing.name})"
    raise EnvironmentalError(problem, "Install them with: pip install 'soid[logs]'") from missing

LARGE: Final = 1 << 17  # messages from which on a topic is large
MOST: Final = 1 << 21  # messages of a topic that are read whole
_Found = tuple[int, int, bytes]  # a message: its channel, its time, what it says


@final
class _JsonFactory(DecoderFactory):
    """Gives the text of JSON messages; their numbers must stay text."""

    def decoder_for(self, message_encoding: str, schema: Any) -> Any:
        return bytes if message_encoding == "json" else None


@final
class McapLog:
    """The messages of one topic."""

    clock: Final = LogClock("log_time", "ns")

    def __init__(self, path: Path, ignore: frozenset[str], topic: str | None) -> None:
        self.name = str(path)
        self._path, self._ignore = path, ignore
        with opened(path) as file:
            self._state = file_state(file)
            (summary,) = self._guarded(SeekingReader(file).get_summary() for _ in range(1))
        if summary is None:
            raise self._unreadable(ValueError("it has no summary, so it was cut off or never closed"))
        self._summary: Summary = summary
        self._topic = self._chosen(topic)
        self._channels = frozenset(id for id, channel in summary.channels.items() if channel.topic == self._topic)
        self._factories = (_JsonFactory(), Ros2Factory(), ProtobufFactory())
        self._decoders: dict[int, Callable[[bytes], Any]] = {}  # by channel
        self._held: tuple[int, bytes] | None = None  # the chunk that was looked into last
        known = None if summary.statistics is None else summary.statistics.channel_message_counts
        self._told = None if known is None else sum(known.get(id, 0) for id in self._channels)
        count = sum(self.sizes) if self._told is None else self._told
        self.is_large = bool(self._chunks) and count > LARGE
        if not self.is_large and count > MOST:
            many = f"it has {count:,} messages of the topic {quoted(self._topic)}, and no chunks to read them by"
            raise TraceError(f"{self.name}: {many}", "Write it in chunks (mcap compress), or as Parquet.")

    def _chosen(self, topic: str | None) -> str:
        topics = sorted({channel.topic for channel in self._summary.channels.values()})
        if topic in topics or (topic is None and len(topics) == 1):
            return topics[0] if topic is None else topic
        wrong = "it has messages of several topics" if topic is None else f"it has no messages of the topic {topic}"
        known = ", ".join(map(quoted, topics)) or "none"
        raise TraceError(
            f"{self.name}: {wrong}",
            f'Name the one whose messages are steps, with [trace] topic = "..." (soid init: --topic): {known}.',
        )

    @property
    def sizes(self) -> Sequence[int]:
        return [window.count for window in self._windows]

    @cached_property
    def _chunks(self) -> list[Any]:
        """The chunks that may have messages of the topic."""
        every = self._summary.chunk_indexes
        return [c for c in every if not c.message_index_offsets or self._channels & c.message_index_offsets.keys()]

    @cached_property
    def _windows(self) -> list[MessageWindow]:
        with opened(self._path, self._state) as file:
            index = McapIndex(file, self._channels, lambda chunk: self._data(file, chunk))
            (found,) = self._guarded(index.windows(self._chunks) for _ in range(1))
        self._refuse_lost(sum(window.count for window in found))
        return list(found)

    def _refuse_lost(self, count: int) -> None:
        """Refuse a file whose chunks have other messages than it says: some would be left out."""
        if self._told not in (None, count):
            raise self._unreadable(ValueError(f"it has {count:,} messages, and says that there are {self._told:,}"))

    @cached_property
    def _lines(self) -> list[int]:
        """The number of the first message of each window."""
        return [*itertools.accumulate(self.sizes, initial=1)]

    def _unreadable(self, error: Exception) -> TraceError:
        remedy = "Get the whole file, or repair it with: mcap recover"
        return TraceError(f"{self.name}: cannot be read as MCAP: {str(error)[:200] or type(error).__name__}", remedy)

    def cells(self, piece: int) -> CellColumns | None:
        return None  # messages are decoded one by one

    def records(self, piece: int) -> Iterator[LogRecord]:
        start = self._lines[piece] if self.is_large else 1
        with opened(self._path, self._state) as file:
            decoded = self._guarded(map(self._decoded, self._messages(file, piece)))
            for line, (time, inner) in enumerate(paced(decoded, "reading the log"), start):
                value = self._fields(line, inner)
                value.setdefault(self.clock.column, str(time))
                yield LogRecord(line, flat_cells(self.name, line, value, self._ignore), line)

    def _messages(self, file: BufferedReader, piece: int) -> Iterator[_Found]:
        if self.is_large:
            yield from self._within(file, self._windows[piece])
            return
        count = 0
        for _, channel, message in SeekingReader(file, validate_crcs=True).iter_messages([self._topic]):
            yield channel.id, message.log_time, message.data
            count += 1
        self._refuse_lost(count)

    def _within(self, file: BufferedReader, window: MessageWindow) -> Iterator[_Found]:
        """The messages of a window, in order."""
        first = message_at(self._data(file, window.chunk), window.offset)
        yield first  # often only this one is wanted, and the rest is not looked for
        inside: list[tuple[int, int, int, bytes]] = []  # time, place of the chunk, place in it, the chunk
        for chunk in self._chunks:
            if chunk.message_end_time >= window.begin and (window.end is None or chunk.message_start_time < window.end):
                data = self._unpacked(file, chunk, checked=True)
                for time, offset in messages_in(data, self._channels):
                    if time >= window.begin and (window.end is None or time < window.end):
                        inside.append((time, chunk.chunk_start_offset, offset, data))
        found = (message_at(data, offset) for _, _, offset, data in sorted(inside, key=lambda each: each[:3]))
        if next(found, None) != first:
            raise ValueError("its index does not say where its messages are")
        yield from found

    def _data(self, file: BufferedReader, index: Any) -> bytes:
        """What is in a chunk, of which more may be wanted."""
        held = self._held
        if held is None or held[0] != index.chunk_start_offset:
            held = self._held = index.chunk_start_offset, self._unpacked(file, index, checked=False)
        return held[1]

    @staticmethod
    def _unpacked(file: BufferedReader, index: Any, *, checked: bool) -> bytes:
        file.seek(index.chunk_start_offset + 9)  # after the kind and the length of the record
        stream, length = get_chunk_data_stream(Chunk.read(ReadDataStream(file)), validate_crc=checked)
        return stream.read(length)

    def _decoded(self, found: _Found) -> tuple[int, Any]:
        id, time, data = found
        if id not in self._decoders:
            channel = self._summary.channels[id]
            schema = self._summary.schemas.get(channel.schema_id)
            known = (each.decoder_for(channel.message_encoding, schema) for each in self._factories)
            decoder = next((each for each in known if each is not None), None)
            if decoder is None:
                raise ValueError(f"messages in {channel.message_encoding} cannot be decoded")
            self._decoders[id] = decoder
        return time, self._decoders[id](data)

    def _guarded(self, messages: Iterable[Any]) -> Iterator[Any]:
        """The messages; what is wrong with one of them is an error of the log."""
        try:
            yield from messages
        except SoidError:
            raise
        except Exception as error:  # the decoders of damaged messages raise errors of any kind
            raise self._unreadable(error) from error

    def _fields(self, line: int, message: Any) -> dict[str, Any]:
        if isinstance(message, bytes):
            found = json_value(self.name, line, message.decode("utf-8", "replace"), cut_off=False)
        else:
            found = plain_value(message, FLOAT64)
        if not isinstance(found, dict):
            fail(self.name, line, "the message has no fields", "Log messages with named fields.")
        return found
