"""The wire format, as the package protobuf writes it."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from soid.engine.learned.readers.onnx import protobuf_wire as wire
from soid.errors import ProgramError

NUMBERS = [0, 1, -1, 127, 128, 2**31, 2**63 - 1, -(2**63), 300]


def test_numbers_are_read_packed_and_one_by_one() -> None:
    written = TensorProto(dims=NUMBERS, int64_data=NUMBERS)  # the second field is packed
    message = wire.fields(written.SerializeToString())
    assert wire.integers(message, 1) == wire.integers(message, 7) == NUMBERS


def test_floats_and_texts_are_read() -> None:
    written = TensorProto(float_data=[1.5, -0.0], double_data=[0.1], string_data=[b"a", b""], name="größe")
    message = wire.fields(written.SerializeToString())
    assert wire.float32s(message, 4).tobytes() == np.array([1.5, -0.0], np.float32).tobytes()
    assert wire.float64s(message, 10).tolist() == [0.1]
    assert wire.byte_strings(message, 6) == [b"a", b""] and wire.text(message, 8) == "größe"


@pytest.mark.parametrize(
    "broken",
    [b"\x08", b"\x08" + b"\x80" * 11, b"\x12\x05abc", b"\x0d\x00", b"\x09\x00", b"\x0b", b"\x00\x01", b"\x0e\x01"],
)
def test_what_is_cut_off_or_of_no_known_kind_is_an_error(broken: bytes) -> None:
    with pytest.raises(ProgramError, match="broken"):
        wire.fields(broken)


@pytest.mark.parametrize("packed", [b"\x80", b"\x01\x80", b"\x80" * 11 + b"\x01"])
def test_a_list_of_numbers_without_an_end_is_an_error(packed: bytes) -> None:
    with pytest.raises(ProgramError, match="no end"):
        wire.integers({7 << 3 | wire.BYTES: [packed]}, 7)
