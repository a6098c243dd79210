"""Logs of messages in MCAP files: JSON, ROS 2 and Protocol Buffers, and several topics joined by time."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.writer import IndexType, Writer
from mcap_protobuf.writer import Writer as ProtobufWriter
from mcap_ros2.writer import Writer as Ros2Writer

from soid.errors import TraceError
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.program.interface import Interface, Role, Variable
from soid.program.trace_table import JoinedLog, LogMapping, MappedColumn
from soid.program.types import EnumType, FloatType, IntType, VariableType
from soid.scenario.logs import mcap_index, mcap_log
from soid.scenario.logs.log_pieces import PiecewiseSequence
from soid.scenario.trace_reader import read

MODE = EnumType("", 8, False, (("IDLE", 0), ("RTH", 1)))


def interface(**kinds: VariableType) -> Interface:
    variables = (Variable(name.replace("__", "."), Role.ENVIRONMENT, kind) for name, kind in kinds.items())
    return Interface(tuple(variables))


def messages(file: Path, topics: dict[str, list[tuple[int, object]]], *, use_chunking: bool = True) -> Path:
    with file.open("wb") as out:
        writer = Writer(out, use_chunking=use_chunking)
        writer.start()
        schema = writer.register_schema("Any", "jsonschema", b"{}")
        for topic, rows in topics.items():
            channel = writer.register_channel(topic, "json", schema)
            for time, value in rows:
                writer.add_message(channel, log_time=time, publish_time=time, data=json.dumps(value).encode())
        writer.finish()
    return file


def test_topics_are_joined_by_time(tmp_path: Path) -> None:
    whole = IntType(32, signed=True)
    topics: dict[str, list[tuple[int, object]]] = {
        "/decide": [(10, {"x": 1}), (20, {"x": 2}), (30, {"x": 3})],
        "/gps": [(5, {"fix": {"sats": 7}}), (20, {"fix": {"sats": 8}}), (29, {"fix": {"sats": 9}})],
    }
    file = messages(tmp_path / "flight.mcap", topics)
    join = JoinedLog(file, None, "gps.", topic="/gps")
    mapping = LogMapping((MappedColumn("sats", "gps.fix.sats"),), topic="/decide", joined=(join,))
    trace = read(file, interface(x=whole, sats=whole), mapping=mapping)
    assert [(step.time, *step.inputs.values()) for step in trace] == [(0, 1, 7), (1, 2, 8), (2, 3, 9)]
    for topic, message in ((None, "several topics"), ("/gsp", "no messages of the topic /gsp")):
        with pytest.raises(TraceError, match=message) as caught:
            read(file, interface(x=whole), mapping=LogMapping(topic=topic))
        assert "/decide, /gps" in caught.value.remedy


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 12) | st.integers(0, 10**6), st.sampled_from("aab")), min_size=1, max_size=40),
    st.integers(1, 400),
    st.integers(1, 6),
    st.sampled_from([IndexType.ALL, IndexType.ALL & ~IndexType.MESSAGE]),
    st.booleans(),
    st.data(),
)
def test_a_large_file_is_the_same_in_pieces(
    tmp_path_factory: pytest.TempPathFactory,
    sent: list[tuple[int, str]],
    chunk: int,
    window: int,
    index: IndexType,
    in_order: bool,
    data: st.DataObject,
) -> None:
    file = tmp_path_factory.getbasetemp() / f"pieces-{os.getpid()}.mcap"
    with file.open("wb") as out:
        writer = Writer(out, chunk_size=chunk, index_types=index, use_statistics=data.draw(st.booleans()))
        writer.start()
        schema = writer.register_schema("Any", "jsonschema", b"{}")
        channels = {name: writer.register_channel(f"/{name}", "json", schema) for name in "ab"}
        channels["c"] = writer.register_channel("/a", "json", schema)  # a second channel of the same topic
        for at, (time, name) in enumerate([(0, "a"), (0, "b"), (3, "c"), *(sorted(sent) if in_order else sent)]):
            writer.add_message(channels[name], log_time=time, publish_time=0, data=f'{{"{name}": {at}}}'.encode())
        writer.finish()
    kinds = dict.fromkeys("abc", IntType(32, signed=True))
    join = JoinedLog(file, None, topic="/b")
    mapping = LogMapping(topic="/a", joined=(join,))
    small = read(file, interface(**kinds), mapping=mapping)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mcap_log, "LARGE", 0)
        patch.setattr(mcap_index, "WINDOW", window)
        large = read(file, interface(**kinds), mapping=mapping)
        assert isinstance(large.steps, PiecewiseSequence)
        wanted = data.draw(st.integers(0, len(small) - 1))
        for found, expected in ((large.steps[wanted], small.steps[wanted]), *zip(large, small, strict=True)):
            assert found == expected
            assert (found.unlogged, found.source) == (expected.unlogged, expected.source)


def test_many_messages_without_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcap_log, "MOST", 2)
    topics: dict[str, list[tuple[int, object]]] = {"/a": [(at, {"x": at}) for at in range(3)], "/b": [(1, {"x": 1})]}
    file = messages(tmp_path / "log.mcap", topics, use_chunking=False)
    with pytest.raises(TraceError, match="it has 3 messages of the topic /a, and no chunks") as caught:
        read(file, interface(x=IntType(8, signed=True)), mapping=LogMapping(topic="/a"))
    assert "Parquet" in caught.value.remedy
    assert len(read(file, interface(x=IntType(8, signed=True)), mapping=LogMapping(topic="/b"))) == 1


@pytest.mark.parametrize("large", [0, 10])
def test_messages_that_the_chunks_do_not_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: int) -> None:
    monkeypatch.setattr(mcap_log, "LARGE", large)
    file = messages(tmp_path / "log.mcap", {"/a": [(at, {"x": at}) for at in range(3)]})
    whole = file.read_bytes()
    told = struct.pack("<HQ", 1, 3)  # the statistics: three messages on channel 1
    assert whole.count(told) == 1
    file.write_bytes(whole.replace(told, struct.pack("<HQ", 1, 4)))
    with pytest.raises(TraceError, match="it has 3 messages, and says that there are 4"):
        read(file, interface(x=IntType(8, signed=True)))


def test_an_index_that_names_other_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcap_log, "LARGE", 0)
    monkeypatch.setattr(mcap_index, "WINDOW", 1)
    times = [0x0102030405060708 + at for at in range(3)]
    file = messages(tmp_path / "log.mcap", {"/a": [(time, {"x": at}) for at, time in enumerate(times)]})
    data = bytearray(file.read_bytes())
    first = data.index(struct.pack("<Q", times[1]))  # the index: a time and a place for each message
    assert data[first + 16 : first + 24] == struct.pack("<Q", times[2])
    data[first + 8 : first + 16] = data[first + 24 : first + 32]
    file.write_bytes(data)
    trace = read(file, interface(x=IntType(8, signed=True)))
    assert trace.steps[0].inputs["x"] == 0
    with pytest.raises(TraceError, match="its index does not say where its messages are"):
        _ = trace.steps[1]


def test_a_file_that_is_changed_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcap_log, "LARGE", 0)
    monkeypatch.setattr(mcap_index, "WINDOW", 1)
    file = messages(tmp_path / "log.mcap", {"/a": [(at, {"x": at}) for at in range(3)]})
    trace = read(file, interface(x=IntType(8, signed=True)))
    messages(file, {"/a": [(at, {"x": 9}) for at in range(4)]})
    with pytest.raises(TraceError, match="it changed while it was read"):
        _ = trace.steps[2]


def test_a_message_without_fields(tmp_path: Path) -> None:
    file = messages(tmp_path / "log.mcap", {"/decide": [(1, {"x": 1}), (2, [1])]})
    with pytest.raises(TraceError, match=r"log\.mcap:2: the message has no fields"):
        read(file, interface(x=IntType(8, signed=True)))


def test_ros_2(tmp_path: Path) -> None:
    file = tmp_path / "ros.mcap"
    text = "Header header\nfloat32 speed\nint64 count\nbool[2] flags\n" + "=" * 80
    text += "\nMSG: demo/Header\nfloat64 stamp\nstring frame\n"
    with file.open("wb") as out:
        writer = Ros2Writer(out)
        schema = writer.register_msgdef("demo/State", text)
        value = {"header": {"stamp": 0.1, "frame": "map"}, "speed": 0.1, "count": -(1 << 62), "flags": [True, False]}
        writer.write_message("/state", schema, value, log_time=1, publish_time=1)
        writer.finish()
    whole = IntType(64, signed=True)
    expected = {
        "header.stamp": sf.float_to_bits64(0.1),
        "speed": sf.float_to_bits32(0.1),
        "count": (1 << 64) - (1 << 62),
        "flags[1]": 0,
    }
    kinds: dict[str, VariableType]
    kinds = {"header__stamp": FloatType(FLOAT64), "speed": FloatType(FLOAT32), "count": whole, "flags[1]": whole}
    trace = read(file, interface(**kinds), ignore=("*",))
    assert trace.steps[0].inputs == expected


def test_protocol_buffers(tmp_path: Path) -> None:
    file = tmp_path / "proto.mcap"
    with file.open("wb") as out, ProtobufWriter(out) as writer:
        writer.write_message("/state", _state(speed=0.1, mode=1, points=[3, 4]), log_time=1, publish_time=1)
    whole = IntType(64, signed=True)
    wanted = interface(speed=FloatType(FLOAT64), mode=MODE, **{"points[1]": whole})
    step = read(file, wanted, ignore=("*",)).steps[0]
    assert step.inputs["mode"] == 1 and step.inputs["points[1]"] == 4
    assert step.rounded.keys() == {"speed"}  # a float that the program has as a double
    nothing = interface(inner__x=whole)
    assert read(file, nothing, ignore=("*",)).steps[0].unlogged == ("inner.x",)


def _state(**fields: object) -> object:
    file = descriptor_pb2.FileDescriptorProto(name="demo.proto", package="demo", syntax="proto3")
    mode = file.enum_type.add(name="Mode")
    mode.value.add(name="IDLE", number=0)
    mode.value.add(name="RTH", number=1)
    inner = file.message_type.add(name="Inner")
    inner.field.add(name="x", number=1, type=3, label=1)
    state = file.message_type.add(name="State")
    state.field.add(name="speed", number=1, type=2, label=1)
    state.field.add(name="mode", number=2, type=14, label=1, type_name=".demo.Mode")
    state.field.add(name="points", number=3, type=3, label=3)
    state.field.add(name="inner", number=4, type=11, label=1, type_name=".demo.Inner")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file) if hasattr(pool, "Add") else pool.AddSerializedFile(file.SerializeToString())
    made: object = message_factory.GetMessageClass(pool.FindMessageTypeByName("demo.State"))(**fields)
    return made
