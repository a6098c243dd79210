"""Logs of messages: MCAP files, as robots record them. Each message of one topic is a step.

Messages are decoded as JSON, ROS 2 or Protocol Buffers, by what the file says of their schema. The fields of a message
are columns, nested as in JSON. `log_time` is a column too, in nanoseconds: the clock that other topics are joined by,
unless the manifest names another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, final

from soid.allowance import paced
from soid.errors import EnvironmentalError, SoidError, TraceError
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.program.trace_table import LogClock
from soid.scenario.log_formats import LogRecord, StoredFloat, fail, flat_cells, json_value, quoted
from soid.scenario.logs.text_log import opened

try:
    from mcap.decoder import DecoderFactory
    from mcap.reader import make_reader
    from mcap_protobuf.decoder import DecoderFactory as ProtobufFactory
    from mcap_ros2.decoder import DecoderFactory as Ros2Factory
except ImportError as missing:
    problem = f"reading a log of messages needs mcap and its decoders, which are not installed ({missing.name})"
    raise EnvironmentalError(problem, "Install them with: pip install 'soid[logs]'") from missing

MOST: Final = 1 << 21  # messages of a topic
_FLOAT, _ENUM = 6, 8  # kinds of fields in a descriptor of Protocol Buffers (cpp_type)


@final
class _JsonFactory(DecoderFactory):
    """Gives the text of JSON messages; their numbers must stay text."""

    def decoder_for(self, message_encoding: str, schema: Any) -> Any:
        return bytes if message_encoding == "json" else None


@final
class McapLog:
    """The messages of one topic."""

    clock: Final = LogClock("log_time", "ns")
    is_large: Final = False

    def __init__(self, path: Path, ignore: frozenset[str], topic: str | None) -> None:
        self.name = str(path)
        self._path, self._ignore = path, ignore
        self._topic = self._chosen(topic)

    @property
    def sizes(self) -> Sequence[int]:
        return ()

    def _chosen(self, topic: str | None) -> str:
        with opened(self._path) as file:
            (summary,) = self._guarded(make_reader(file).get_summary() for _ in range(1))
        if summary is None:
            raise self._unreadable(ValueError("it has no summary, so it was cut off or never closed"))
        topics = sorted({channel.topic for channel in summary.channels.values()})
        if topic in topics or (topic is None and len(topics) == 1):
            chosen = topics[0] if topic is None else topic
            counts = summary.statistics.channel_message_counts if summary.statistics is not None else {}
            count = sum(counts.get(id, 0) for id, channel in summary.channels.items() if channel.topic == chosen)
            if count > MOST:
                many = f"it has {count:,} messages of the topic {quoted(chosen)}, and they are read whole"
                remedy = "Cut the file to the part that matters (mcap filter), or write it as Parquet."
                raise TraceError(f"{self.name}: {many}", remedy)
            return chosen
        wrong = "it has messages of several topics" if topic is None else f"it has no messages of the topic {topic}"
        known = ", ".join(map(quoted, topics)) or "none"
        raise TraceError(
            f"{self.name}: {wrong}",
            f'Name the one whose messages are steps, with [trace] topic = "..." (soid init: --topic): {known}.',
        )

    def _unreadable(self, error: Exception) -> TraceError:
        remedy = "Get the whole file, or repair it with: mcap recover"
        return TraceError(f"{self.name}: cannot be read as MCAP: {str(error)[:200] or type(error).__name__}", remedy)

    def records(self, piece: int) -> Iterator[LogRecord]:
        factories = [_JsonFactory(), Ros2Factory(), ProtobufFactory()]
        with opened(self._path) as file:
            messages = make_reader(file, decoder_factories=factories).iter_decoded_messages(topics=[self._topic])
            for line, each in enumerate(paced(self._guarded(messages), "reading the log"), start=1):
                value = self._fields(line, each.decoded_message)
                value.setdefault(self.clock.column, str(each.message.log_time))
                yield LogRecord(line, flat_cells(self.name, line, value, self._ignore), line)

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
            found = _plain(message, FLOAT64)
        if not isinstance(found, dict):
            fail(self.name, line, "the message has no fields", "Log messages with named fields.")
        return found


def _plain(value: Any, form: Any) -> Any:
    """A decoded value as a nested value of cells; `form` is the format that its floats were stored in."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        bits = sf.float_to_bits64(value)
        return StoredFloat(form, bits if form == FLOAT64 else sf.convert(FLOAT64, form, bits))
    if isinstance(value, bytes):
        return [str(byte) for byte in value]
    if hasattr(value, "DESCRIPTOR"):
        absent = [f.name for f in value.DESCRIPTOR.fields if f.has_presence and not value.HasField(f.name)]
        named = [(f, getattr(value, f.name)) for f in value.DESCRIPTOR.fields if f.name not in absent]
        return {field.name: _field(field, inner) for field, inner in named}
    if hasattr(value, "items"):
        return {str(key): _plain(inner, form) for key, inner in value.items()}
    if hasattr(value, "__slots__"):
        return {name: _plain(getattr(value, name), form) for name in value.__slots__}
    return [_plain(each, form) for each in value]


def _field(field: Any, value: Any) -> Any:
    """A field of Protocol Buffers: an enumeration has its labels, and a message that is absent no value."""
    if field.cpp_type == _ENUM:
        labels = field.enum_type.values_by_number
        named = [labels[each].name if each in labels else str(each) for each in (value if _is_many(value) else [value])]
        return named if _is_many(value) else named[0]
    return _plain(value, FLOAT32 if field.cpp_type == _FLOAT else FLOAT64)


def _is_many(value: Any) -> bool:
    return not isinstance(value, int)
